/// Launch: one run of a plan: its memory, the pointers and scalars its kernels get, and the events they report.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "tessera/engine/bound_plan.h"
#include "tessera/plan/planner.h"
#include "tessera/runtime/buffer.h"

namespace tessera::engine {

/// Objects are reused, so that a launch of a known plan allocates nothing but what the plan computes.
class Launch {
 public:
  /// Takes hold of the memory that exists already, on the host by now, and makes all that the plan makes: what throws
  /// OutOfMemory has touched nothing. Call clear() when done.
  void begin(std::shared_ptr<const BoundPlan> bound, const plan::Request& request);
  size_t steps() const { return bound_->steps.size(); }

  void drop(int32_t block) { blocks_[block] = nullptr; }
  const Ref<runtime::Buffer>& buffer(int32_t slot) const {
    const int32_t block = bound_->plan.slots[slot].block;
    return block < 0 ? external_[slot] : blocks_[block];
  }

  /// Resolves the pointers and scalars of a step.
  void bind(size_t step, const plan::Request& request);
  /// Copies and computes: the step, or the wave that begins with it. Returns the step after. Needs nothing of the
  /// graph, so any thread may do it.
  size_t run(size_t step);
  /// Copies; then somebody else computes the step, or says that it cannot, and nothing is lost.
  template <class Compute>
  bool run_elsewhere(size_t step, Compute&& compute) {
    copy_untouched(step);
    return compute(bound_->plan.steps[step].kernel, arguments(step));
  }
  /// All steps, as a task of the stream; what they throw is kept for clear().
  void run_all() noexcept;

  /// What the kernels reported: ir::FloatEvent bits for each of the plan's flag_nodes.
  const std::vector<uint32_t>& flags() const { return flags_; }
  bool failed() const { return failure_ != nullptr; }
  /// Lets go of everything; returns what run_all caught.
  std::exception_ptr clear();

 private:
  struct alignas(16) ScalarBytes {
    unsigned char bytes[16];
  };
  /// What a renamed write leaves untouched when it lies elsewhere than where the plan was made for.
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
  /// Whether waves hold this time: no memory goes by two numbers, and views of one memory lie as far apart as they did.
  void begin_waves();
  void note_shift(int32_t slot, int64_t shift);

  std::shared_ptr<const BoundPlan> bound_;
  std::vector<Ref<runtime::Buffer>> external_;  // by slot
  std::vector<Ref<runtime::Buffer>> blocks_;
  std::vector<char*> buffers_;
  std::vector<ScalarBytes> scalars_;
  std::vector<uint32_t> flags_;
  std::vector<MovedCopy> moved_;
  std::vector<int64_t> shifts_;  // by memory: how far views of it lie from where they lay when the plan was made
  bool as_planned_ = true;       // waves hold
  std::exception_ptr failure_;
};

}  // namespace tessera::engine
