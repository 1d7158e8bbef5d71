#include "tessera/plan/moves.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "tessera/plan/byte_grid.h"
#include "tessera/plan/limits.h"

namespace tessera::plan {

namespace {

/// A kernel that copies elements unchanged or fills with one scalar, and the bindings of its result and operand.
struct PlainCopy {
  const Binding* to = nullptr;
  const Binding* from = nullptr;  // null: a scalar
  int64_t item = 0;
};

std::optional<PlainCopy> find_plain_copy(const KernelStep& step) {
  const ir::Kernel& kernel = *step.kernel;
  if (kernel.regions.size() != 1 || !step.flag_nodes.empty() || step.buffers.empty() || step.buffers.size() > 2)
    return {};
  const ir::Instruction* store = nullptr;
  ir::Value stored = ir::no_value;
  const auto runs_along = [&](std::span<const ir::Value> indices) {
    if (indices.size() != kernel.ndim) return false;
    for (size_t axis = 0; axis < indices.size(); ++axis) {
      const ir::Instruction& index = kernel.instructions[indices[axis]];
      if (index.op != ir::Opcode::index || index.imm != axis) return false;
    }
    return true;
  };
  for (ir::Value v : kernel.regions[0].body) {
    const ir::Instruction& i = kernel.instructions[v];
    if (i.op == ir::Opcode::index || i.op == ir::Opcode::scalar) continue;
    if (i.op == ir::Opcode::load && runs_along(kernel.operands(v))) continue;
    if (i.op != ir::Opcode::store || store || !runs_along(kernel.operands(v).subspan(1))) return {};
    store = &i;
    stored = kernel.operands(v)[0];
  }
  if (!store) return {};
  const ir::Instruction& value = kernel.instructions[stored];
  PlainCopy copy{.to = &step.buffers[store->imm], .item = itemsize(kernel.buffers[store->imm].dtype)};
  if (value.op == ir::Opcode::scalar && step.buffers.size() == 1 && step.scalars.size() == 1)
    return copy.item <= 8 ? std::optional(copy) : std::nullopt;
  if (value.op != ir::Opcode::load || step.buffers.size() != 2 || !step.scalars.empty()) return {};
  copy.from = &step.buffers[value.imm];
  if (copy.from == copy.to || copy.from->strides != copy.to->strides) return {};
  return copy;
}

/// A view's elements as a box; empty when several elements share an address.
std::optional<ByteBox> box_of(const Binding& binding, int64_t item) {
  struct Axis {
    int64_t count, stride;
  };
  std::vector<Axis> view;
  ByteBox box{.offset = binding.offset, .nbytes = item};
  for (size_t axis = 0; axis < binding.strides.size(); ++axis) {
    const int64_t count = binding.dimensions[axis], stride = binding.strides[axis];
    if (count == 1) continue;
    if (stride == 0) return {};
    if (stride < 0) box.offset += (count - 1) * stride;
    view.push_back({count, std::abs(stride)});
  }
  std::sort(view.begin(), view.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  for (const Axis& axis : view) {
    if (axis.stride == box.nbytes && box.counts.empty()) {
      box.nbytes *= axis.count;
    } else if (!box.counts.empty() && axis.stride == box.counts[0] * box.strides[0]) {
      box.counts[0] *= axis.count;
    } else {
      box.counts.insert(0, axis.count);
      box.strides.insert(0, axis.stride);
    }
  }
  return box;
}

int64_t bytes_of(const ByteBox& box) {
  return std::accumulate(box.counts.begin(), box.counts.end(), box.nbytes, std::multiplies<>());
}

/// The copy or fill of one part of a step.
struct CopyRequest {
  StepPart part;
  std::vector<ByteBox> boxes;
  int32_t to, from;
  int64_t distance;
  NodeRef value;
  int64_t item;
};

/// A move of a set under construction.
struct GridMove {
  GridBox box;
  int32_t to, from;  // slots
  int64_t distance;
  NodeRef value;
};

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
    CopyRequest request{.part = {s, c}};
    if (c >= 0) {
      const CopyStep& copy = step.copies[static_cast<size_t>(c)];
      request.boxes = copy.boxes;
      request.to = copy.to;
      request.from = copy.from;
      request.item = 8;
    } else {
      const std::optional<PlainCopy> copy = find_plain_copy(step.kernel);
      if (!copy) return {};
      const std::optional<ByteBox> to = box_of(*copy->to, copy->item);
      if (!to) return {};
      request.boxes = {*to};
      request.to = copy->to->slot;
      request.from = copy->from ? copy->from->slot : -1;
      request.distance = copy->from ? copy->from->offset - copy->to->offset : 0;
      if (!copy->from) request.value = step.kernel.scalars[0];
      request.item = copy->item;
    }
    int64_t nbytes = 0;
    for (const ByteBox& box : request.boxes) nbytes += bytes_of(box);
    if (nbytes > MoveLimits::few_bytes) return {};
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
    requests_.push_back(*request);
    if (const std::optional<MoveSet> set = join()) {
      joined_ = *set;
      return;
    }
    requests_.pop_back();
    close();
    requests_ = {*request};
    joined_ = join();
  }

  /// Emits what was joined so far; a single part stays unchanged.
  void close() {
    if (requests_.size() > 1 && joined_) {
      // Copies of memory onto itself do nothing.
      if (!joined_->moves.empty()) parts_.push_back(std::move(*joined_));
    } else {
      for (const CopyRequest& request : requests_) parts_.push_back(request.part);
    }
    requests_.clear();
    joined_ = {};
  }

  /// The requests, in order, as moves that do not depend on each other; empty when that is not possible.
  std::optional<MoveSet> join() const {
    std::vector<int64_t> pitches;
    for (const CopyRequest& request : requests_)
      for (const ByteBox& box : request.boxes) pitches.insert(pitches.end(), box.strides.begin(), box.strides.end());
    const std::optional<ByteGrid> grid = ByteGrid::make(pitches);
    if (!grid) return {};
    std::vector<GridMove> moves;
    for (const CopyRequest& request : requests_)
      if (!assign(*grid, request, moves)) return {};
    if (moves.size() > MoveLimits::most_moves || !are_independent(*grid, moves)) return {};
    MoveSet set{.item = 8};
    for (const CopyRequest& request : requests_)
      if (request.from < 0) set.item = std::min(set.item, request.item);
    for (const GridMove& move : moves) {
      set.moves.push_back({move.to, grid->to_bytes(move.box), move.from, move.distance, move.value});
      const ByteBox& box = set.moves.back().box;
      if (box.counts.size() > MoveLimits::most_axes) return {};
      int64_t all = box.offset | box.nbytes | move.distance;
      for (const int64_t stride : box.strides) all |= stride;
      while (all % set.item) set.item /= 2;
    }
    // A scalar is written with its full item size.
    for (const CopyRequest& request : requests_)
      if (request.from < 0 && request.item != set.item) return {};
    return set;
  }

  /// Adds a request to the moves. Where it reads what earlier moves of the set wrote, it reads their source instead;
  /// earlier moves leave out what it overwrites.
  bool assign(const ByteGrid& grid, const CopyRequest& request, std::vector<GridMove>& moves) const {
    std::vector<GridBox> boxes;
    for (const ByteBox& box : request.boxes)
      if (!grid.add_boxes(box, boxes)) return false;
    std::vector<GridMove> added;
    for (const GridBox& box : boxes) {
      const GridMove move{box, request.to, request.from, request.distance, request.value};
      if (request.from < 0)
        added.push_back(move);
      else if (!resolve(grid, move, moves, added))
        return false;
    }
    std::vector<GridMove> kept;
    for (const GridMove& move : moves) {
      std::vector<GridBox> rest{move.box};
      for (const GridBox& box : boxes) {
        if (!same_memory(move.to, request.to)) break;
        std::vector<GridBox> left;
        for (const GridBox& part : rest) subtract(part, box, left);
        rest = std::move(left);
      }
      for (const GridBox& part : rest) kept.push_back({part, move.to, move.from, move.distance, move.value});
    }
    moves = std::move(kept);
    moves.insert(moves.end(), added.begin(), added.end());
    return true;
  }

  bool resolve(const ByteGrid& grid, const GridMove& wanted, const std::vector<GridMove>& moves,
               std::vector<GridMove>& added) const {
    const std::optional<GridBox> source = grid.shift(wanted.box, wanted.distance);
    if (!source) return false;
    const auto at = [&](const GridBox& part) {  // where that part of the source is copied to
      GridBox to = part;
      for (size_t axis = 0; axis < to.start.size(); ++axis)
        to.start[axis] += wanted.box.start[axis] - source->start[axis];
      return to;
    };
    std::vector<GridBox> rest{*source};
    for (const GridMove& move : moves) {
      if (!same_memory(move.to, wanted.from)) continue;
      const std::optional<GridBox> both = intersect(*source, move.box);
      const bool is_there = move.from >= 0 && wanted.distance + move.distance == 0 && same_memory(wanted.to, move.from);
      if (both && !is_there)
        added.push_back({at(*both), wanted.to, move.from, wanted.distance + move.distance, move.value});
      std::vector<GridBox> left;
      for (const GridBox& part : rest) subtract(part, move.box, left);
      rest = std::move(left);
    }
    const bool is_there = wanted.distance == 0 && same_memory(wanted.to, wanted.from);
    for (const GridBox& part : rest)
      if (!is_there) added.push_back({at(part), wanted.to, wanted.from, wanted.distance, {}});
    return true;
  }

  bool are_independent(const ByteGrid& grid, const std::vector<GridMove>& moves) const {
    for (const GridMove& reader : moves) {
      if (reader.from < 0) continue;
      const std::optional<GridBox> source = grid.shift(reader.box, reader.distance);
      if (!source) return false;
      for (const GridMove& writer : moves)
        if (same_memory(writer.to, reader.from) && intersect(*source, writer.box)) return false;
    }
    return true;
  }

  bool same_memory(int32_t a, int32_t b) const { return memory_of(plan_, a) == memory_of(plan_, b); }

  const Plan& plan_;
  std::vector<PlanPart> parts_;
  std::vector<CopyRequest> requests_;  // being joined
  std::optional<MoveSet> joined_;
};

}  // namespace

std::vector<PlanPart> join_moves(const Plan& plan) { return Joiner(plan).run(); }

}  // namespace tessera::plan
