/// Launch: one run of a plan: its memory, the pointers and scalars passed to its kernels, and the floating-point events
/// they report.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "tessera/engine/host/bound_plan.h"
#include "tessera/plan/planner.h"
#include "tessera/runtime/buffer.h"

namespace tessera::engine {

/// Launches are reused, so that running a known plan allocates only the arrays it computes.
class Launch {
 public:
  /// References the existing memory, which is on the host by now, and allocates all blocks of the plan. If it throws
  /// OutOfMemory, nothing has changed. Call clear() when done.
  void begin(std::shared_ptr<const BoundPlan> bound, const plan::Request& request);
  size_t steps() const { return bound_->steps.size(); }

  /// The lanes of a kernel over these extents.
  static int64_t lanes(const Dims& extents) {
    int64_t count = 1;
    for (const int64_t extent : extents) count *= extent;
    return count;
  }

  void drop(int32_t block) { blocks_[block] = nullptr; }
  const Ref<runtime::Buffer>& buffer(int32_t slot) const {
    const int32_t block = bound_->plan.slots[slot].block;
    return block < 0 ? external_[slot] : blocks_[block];
  }

  /// Resolves the pointers and scalars of a step.
  void bind(size_t step, const plan::Request& request);
  /// Runs the copies and the kernel of the step, or the wave that begins with it, and returns the next step. Uses no
  /// graph objects, so it may run on any thread.
  size_t run(size_t step);
  /// Runs the step's copies, then calls `compute` to run the kernel elsewhere; false when it cannot, with nothing lost.
  template <class Compute>
  bool run_elsewhere(size_t step, Compute&& compute) {
    copy_untouched(step);
    return compute(bound_->plan.steps[step].kernel, arguments(step));
  }
  /// Runs all steps as a task of the stream; an exception is kept for clear().
  void run_all() noexcept;

  /// Floating-point events reported by the kernels: ir::FloatEvent bits for each of the plan's flag_nodes.
  const std::vector<uint32_t>& flags() const { return flags_; }
  bool failed() const { return failure_ != nullptr; }
  /// The memory that the plan writes.
  std::vector<Ref<runtime::Buffer>> written() const;
  /// Releases everything; returns the exception that run_all caught.
  std::exception_ptr clear();

 private:
  struct alignas(16) ScalarBytes {
    unsigned char bytes[16];
  };
  /// What a renamed write leaves untouched when its offset differs from the one the plan was made for.
  struct MovedCopy {
    const plan::CopyStep* copy;
    std::vector<plan::ByteBox> boxes;
  };
  const std::vector<plan::ByteBox>& boxes_of(const plan::CopyStep& copy) const;
  char* data(int32_t slot) const { return buffer(slot)->data(); }
  ir::KernelArguments arguments(size_t step);
  void count_run(size_t step);
  void copy_untouched(size_t step);
  void run_step(size_t step);
  void run_wave(const plan::Wave& wave);
  void run_kernel(size_t step, const ir::KernelArguments& arguments, const int64_t* begin, const int64_t* end);
  /// Checks whether waves are valid for this run: the external buffers do not overlap, and views of one memory have the
  /// distances they had when the plan was made.
  void begin_waves();
  void note_shift(int32_t slot, int64_t shift);

  std::shared_ptr<const BoundPlan> bound_;
  std::vector<Ref<runtime::Buffer>> external_;  // by slot
  std::vector<Ref<runtime::Buffer>> blocks_;
  std::vector<char*> buffers_;
  std::vector<ScalarBytes> scalars_;
  std::vector<uint32_t> flags_;
  std::vector<MovedCopy> moved_;
  std::vector<int64_t> shifts_;  // by memory: distance of its views from where they were when the plan was made
  bool as_planned_ = true;       // waves are valid
  std::exception_ptr failure_;
};

}  // namespace tessera::engine
