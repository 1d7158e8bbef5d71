#include "tessera/engine/runner.h"

#include <algorithm>
#include <cstring>

#include "tessera/engine/memory.h"
#include "tessera/plan/untouched.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

using graph::Node;
using graph::Version;
using plan::Binding;
using plan::ByteBox;
using plan::NodeRef;
using runtime::Buffer;

namespace {

// Below this many elements a second thread costs more than it brings.
constexpr int64_t work_for_threads = 1 << 15;
// Work worth giving other Python threads a chance for.
constexpr int64_t work_for_unlock = 1 << 17;

void choose_split(const plan::KernelStep& step, BoundPlan::BoundStep& bound) {
  if (step.work < work_for_threads) return;
  const Dims& extents = step.extents;
  int axis = 0;
  for (int k = 1; k < static_cast<int>(extents.size()); ++k) {
    if (extents[axis] < 16 && extents[k] > extents[axis]) axis = k;
  }
  if (extents[axis] < 2) return;
  bound.split_axis = axis;
  const int64_t per_index = std::max<int64_t>(1, step.work / extents[axis]);
  bound.grain = std::max<int64_t>(1, work_for_threads / 2 / per_index);
  // Cuts along the contiguous axis stay on whole cache lines.
  if (axis + 1 == static_cast<int>(extents.size())) bound.grain = (bound.grain + 1023) / 1024 * 1024;
}

void copy_box(const char* from, char* to, const ByteBox& box, size_t axis) {
  if (axis == box.counts.size()) {
    std::memcpy(to, from, static_cast<size_t>(box.nbytes));
    return;
  }
  for (int64_t k = 0; k < box.counts[axis]; ++k) {
    copy_box(from + k * box.strides[axis], to + k * box.strides[axis], box, axis + 1);
  }
}

void copy_boxes(const char* from, char* to, const std::vector<ByteBox>& boxes) {
  constexpr int64_t piece = 1 << 20;
  for (const ByteBox& box : boxes) {
    if (box.counts.empty() && box.nbytes > piece) {
      auto body = [&](int64_t begin, int64_t end) {
        std::memcpy(to + box.offset + begin, from + box.offset + begin, static_cast<size_t>(end - begin));
      };
      runtime::parallel_for(box.nbytes, piece, body);
    } else {
      copy_box(from + box.offset, to + box.offset, box, 0);
    }
  }
}

/// The boxes were found for one place of the write; at another they are found again.
void carry_over(const plan::CopyStep& copy, const plan::Request& request, const char* from, char* to) {
  const Node& write = request.node(copy.node);
  if (write.offset == copy.offset) return copy_boxes(from, to, copy.boxes);
  const View view{.shape = write.shape, .strides = write.strides, .offset = write.offset, .dtype = write.dtype};
  copy_boxes(from, to, plan::untouched_boxes(view, write.out->nbytes));
}

/// The memory of every slot while a plan runs.
class Memory {
 public:
  Memory(const plan::Plan& plan, const plan::Request& request) : plan_(plan), slots_(plan.slots.size()) {
    for (size_t s = 0; s < slots_.size(); ++s) {
      const NodeRef& at = plan.slots[s].external;
      if (at.node < 0) continue;
      const Node& node = request.node(at.node);
      const Version* version = at.input < 0 ? node.old.get() : node.inputs[at.input].version.get();
      slots_[s] = Ref<Buffer>(buffer_of(*version));
    }
  }

  void make(int32_t slot) { slots_[slot] = runtime::HostPool::instance().allocate(static_cast<size_t>(plan_.slots[slot].nbytes)); }
  void drop(int32_t slot) { slots_[slot] = nullptr; }
  char* data(int32_t slot) const { return slots_[slot]->data(); }
  const Ref<Buffer>& buffer(int32_t slot) {
    if (!slots_[slot]) make(slot);  // no step touched it: an array without elements
    return slots_[slot];
  }

 private:
  const plan::Plan& plan_;
  std::vector<Ref<Buffer>> slots_;
};

struct alignas(16) ScalarBytes {
  unsigned char bytes[16];
};

class StepRun {
 public:
  StepRun(const plan::KernelStep& step, const BoundPlan::BoundStep& bound, const plan::Request& request, const Memory& memory)
      : step_(step), bound_(bound) {
    for (const Binding& binding : step.buffers) {
      buffers_.push_back(memory.data(binding.slot) + offset(binding, request));
    }
    for (const NodeRef& at : step.scalars) {
      ScalarBytes bytes;
      std::memcpy(bytes.bytes, request.node(at.node).inputs[at.input].scalar.bytes, sizeof bytes);
      scalars_.push_back(bytes);
    }
    flags_ = SmallVector<uint32_t, 16>(step.flag_nodes.size(), 0);
    arguments_ = {.buffers = buffers_.data(),
                  .strides = bound.strides.data(),
                  .dimensions = bound.dimensions.data(),
                  .scalars = reinterpret_cast<const char*>(scalars_.data()),
                  .extents = step.extents.data(),
                  .flags = flags_.data()};
  }

  void run() {
    const size_t ndim = step_.extents.size();
    if (bound_.grain == 0) {
      const Dims begin(ndim, 0);
      run_box(begin.data(), step_.extents.data());
      return;
    }
    auto body = [&](int64_t from, int64_t to) {
      Dims begin(ndim, 0);
      Dims end = step_.extents;
      begin[bound_.split_axis] = from;
      end[bound_.split_axis] = to;
      run_box(begin.data(), end.data());
    };
    runtime::parallel_for(step_.extents[bound_.split_axis], bound_.grain, body);
  }

  const SmallVector<uint32_t, 16>& flags() const { return flags_; }

 private:
  static int64_t offset(const Binding& binding, const plan::Request& request) {
    if (binding.offset_of.node < 0) return 0;
    const Node& node = request.node(binding.offset_of.node);
    return binding.offset_of.input < 0 ? node.offset : node.inputs[binding.offset_of.input].offset;
  }

  void run_box(const int64_t* begin, const int64_t* end) {
    if (const ir::KernelEntry entry = bound_.kernel->entry.load(std::memory_order_acquire)) {
      profile::add(profile::Counter::kernels_native);
      entry(&arguments_, begin, end);
    } else {
      profile::add(profile::Counter::kernels_interpreted);
      bound_.kernel->program->run(arguments_, begin, end);
    }
  }

  const plan::KernelStep& step_;
  const BoundPlan::BoundStep& bound_;
  SmallVector<char*, 8> buffers_;
  SmallVector<ScalarBytes, 4> scalars_;
  SmallVector<uint32_t, 16> flags_;
  ir::KernelArguments arguments_;
};

/// Releases the caller's lock for its lifetime when the work is long.
class Unlocked {
 public:
  Unlocked(const UnlockHooks& hooks, bool worth_it) : hooks_(worth_it && hooks.unlock ? &hooks : nullptr) {
    if (hooks_) state_ = hooks_->unlock();
  }
  ~Unlocked() {
    if (hooks_) hooks_->lock(state_);
  }

 private:
  const UnlockHooks* hooks_;
  void* state_ = nullptr;
};

void settle(const BoundPlan& bound, const plan::Request& request, Memory& memory) {
  for (int i = 0; i < request.size(); ++i) {
    Version& out = *request.node(i).out;
    out.window = nullptr;
    const int32_t slot = bound.plan.result_slots[i];
    if (slot >= 0) set_buffer(out, memory.buffer(slot));
  }
}

}  // namespace

std::shared_ptr<BoundPlan> bind_plan(plan::Plan plan, KernelCache& kernels) {
  auto bound = std::make_shared<BoundPlan>();
  bound->plan = std::move(plan);
  for (const plan::Step& step : bound->plan.steps) {
    BoundPlan::BoundStep result;
    result.kernel = kernels.find_or_add(step.kernel.kernel_hash, step.kernel.kernel);
    for (const Binding& binding : step.kernel.buffers) {
      result.strides.insert(result.strides.end(), binding.strides.begin(), binding.strides.end());
      result.dimensions.insert(result.dimensions.end(), binding.dimensions.begin(), binding.dimensions.end());
    }
    choose_split(step.kernel, result);
    bound->steps.push_back(std::move(result));
  }
  return bound;
}

void run_plan(const BoundPlan& bound, const plan::Request& request, graph::Window& window, KernelCache& kernels,
              const UnlockHooks& hooks, std::vector<NodeEvents>& events) {
  Memory memory(bound.plan, request);
  for (size_t k = 0; k < bound.plan.steps.size(); ++k) {
    const plan::Step& step = bound.plan.steps[k];
    for (int32_t slot : step.make) memory.make(slot);
    kernels.prepare(*bound.steps[k].kernel, step.kernel.work);
    StepRun run(step.kernel, bound.steps[k], request, memory);
    {
      Unlocked unlocked(hooks, step.kernel.work >= work_for_unlock);
      for (const plan::CopyStep& copy : step.copies) carry_over(copy, request, memory.data(copy.from), memory.data(copy.to));
      run.run();
    }
    for (size_t f = 0; f < run.flags().size(); ++f) {
      if (run.flags()[f]) events.push_back({step.kernel.flag_nodes[f], run.flags()[f]});
    }
    for (int32_t slot : step.drop) memory.drop(slot);
  }
  settle(bound, request, memory);
}

}  // namespace tessera::engine
