#include "tessera/plan/moves.h"

#include <algorithm>
#include <optional>

#include "tessera/plan/box_of.h"
#include "tessera/plan/byte_grid.h"
#include "tessera/plan/move_joiner.h"

namespace tessera::plan {

namespace {

class Joiner {
 public:
  explicit Joiner(const Plan& plan) : plan_(plan) {}

  std::vector<PlanPart> run() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const Step& step = plan_.steps[s];
      const auto number = static_cast<int32_t>(s);
      std::vector<std::optional<CopyRequest>> copies;
      for (size_t c = 0; c < step.copies.size(); ++c) copies.push_back(request_of(number, static_cast<int32_t>(c)));
      const bool kernel_first = std::all_of(copies.begin(), copies.end(),
                                            [&](const auto& copy) { return copy && may_follow_kernel(*copy, step); });
      if (kernel_first && step.kernel.kernel) add({number}, request_of(number, -1));
      for (size_t c = 0; c < copies.size(); ++c) add({number, static_cast<int32_t>(c)}, copies[c]);
      if (!kernel_first && step.kernel.kernel) add({number}, request_of(number, -1));
    }
    close();
    return std::move(parts_);
  }

 private:
  std::optional<CopyRequest> request_of(int32_t s, int32_t c) const {
    const Step& step = plan_.steps[static_cast<size_t>(s)];
    std::optional<CopyRequest> request;
    if (c >= 0) {
      const CopyStep& copy = step.copies[static_cast<size_t>(c)];
      request = CopyRequest{.boxes = copy.boxes, .to = copy.to, .from = copy.from};
    } else {
      std::vector<int64_t> offsets;
      for (const Binding& binding : step.kernel.buffers) offsets.push_back(binding.offset);
      const Dims& extents = step.kernel.extents;
      request = find_plain_copy(step.kernel, offsets, 0, extents.empty() ? 1 : extents[0]);
    }
    if (request && !is_small(*request)) request.reset();
    return request;
  }

  /// Whether the copy may run after its step's kernel: the kernel neither reads nor writes what the copy writes, and
  /// does not write what the copy reads.
  bool may_follow_kernel(const CopyRequest& copy, const Step& step) const {
    if (!step.kernel.kernel) return false;
    std::vector<int64_t> pitches;
    std::vector<ByteBox> touched;
    for (size_t k = 0; k < step.kernel.buffers.size(); ++k) {
      const Binding& binding = step.kernel.buffers[k];
      const ir::BufferParam& buffer = step.kernel.kernel->buffers[k];
      const int32_t memory = memory_of(plan_, binding.slot);
      if (buffer.writable && memory == memory_of(plan_, copy.from)) return false;
      if (memory != memory_of(plan_, copy.to)) continue;
      const std::optional<ByteBox> box = box_of(binding, itemsize(buffer.dtype));
      if (!box) return false;
      touched.push_back(*box);
      pitches.insert(pitches.end(), box->strides.begin(), box->strides.end());
    }
    for (const ByteBox& box : copy.boxes) pitches.insert(pitches.end(), box.strides.begin(), box.strides.end());
    const std::optional<ByteGrid> grid = ByteGrid::make(pitches);
    std::vector<GridBox> kernel, copied;
    if (!grid) return false;
    for (const ByteBox& box : touched)
      if (!grid->add_boxes(box, kernel)) return false;
    for (const ByteBox& box : copy.boxes)
      if (!grid->add_boxes(box, copied)) return false;
    for (const GridBox& a : kernel)
      for (const GridBox& b : copied)
        if (intersect(a, b)) return false;
    return true;
  }

  void add(StepPart part, const std::optional<CopyRequest>& request) {
    if (!request) {
      close();
      parts_.push_back(part);
      return;
    }
    if (!joiner_.add(*request)) {
      close();
      joiner_.add(*request);
    }
    joined_.push_back(part);
  }

  /// Emits what was joined so far; a single part stays unchanged.
  void close() {
    std::optional<MoveSet> set = joiner_.take();
    if (joined_.size() > 1 && set) {
      // Copies of memory onto itself do nothing.
      if (!set->moves.empty()) parts_.push_back(std::move(*set));
    } else {
      parts_.insert(parts_.end(), joined_.begin(), joined_.end());
    }
    joined_.clear();
  }

  const Plan& plan_;
  MoveJoiner joiner_{[this](int32_t a, int32_t b) { return memory_of(plan_, a) == memory_of(plan_, b); }};
  std::vector<PlanPart> parts_;
  std::vector<StepPart> joined_;  // of the joiner
};

}  // namespace

std::vector<PlanPart> join_moves(const Plan& plan) { return Joiner(plan).run(); }

}  // namespace tessera::plan
