#include "tessera/engine/host/launch.h"

#include <cstring>
#include <utility>

#include "tessera/eager/host_memory.h"
#include "tessera/engine/support/copy_boxes.h"
#include "tessera/engine/support/memory.h"
#include "tessera/plan/untouched.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/progress.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

using graph::Node;
using plan::ByteBox;
using plan::NodeRef;
using runtime::Buffer;

void Launch::begin(std::shared_ptr<const BoundPlan> bound, const plan::Request& request) {
  bound_ = std::move(bound);
  const std::vector<plan::Slot>& slots = bound_->plan.slots;
  external_.resize(slots.size());
  for (size_t s = 0; s < slots.size(); ++s) {
    if (slots[s].external.node < 0) continue;
    external_[s] = Ref<Buffer>(eager::buffer_of(version_at(request, slots[s].external)));
  }
  for (const plan::Block& block : bound_->plan.blocks) {
    blocks_.push_back(block.from < 0 ? runtime::HostPool::instance().allocate(static_cast<size_t>(block.nbytes))
                                     : external_[block.from]);
  }
  buffers_.resize(bound_->buffer_count);
  scalars_.resize(bound_->scalar_count);
  flags_.assign(bound_->flag_nodes.size(), 0);
  if (!bound_->plan.waves.empty()) begin_waves();
}

void Launch::bind(size_t k, const plan::Request& request) {
  for (const plan::CopyStep& copy : bound_->plan.steps[k].copies) {
    // The boxes were computed for one offset of the write; for another offset they are computed again.
    const Node& write = request.node(copy.node);
    if (write.offset == copy.offset) continue;
    as_planned_ = false;
    const View view{
        .shape = write.form->shape, .strides = write.form->strides, .offset = write.offset, .dtype = write.form->dtype};
    moved_.push_back({&copy, plan::untouched_boxes(view, write.out->nbytes)});
  }
  const plan::KernelStep& step = bound_->plan.steps[k].kernel;
  // Loaded once: as far as the compiler knows, the stores of pointers below may change these values.
  const graph::Window& window = request.window;
  const int64_t first = request.begin;
  const bool has_waves = !shifts_.empty();
  char** pointer = buffers_.data() + bound_->steps[k].first_buffer;
  for (const plan::Binding& binding : step.buffers) {
    int64_t offset = binding.shift;
    if (binding.offset_of.node >= 0) {
      const Node& node = window[first + binding.offset_of.node];
      offset += binding.offset_of.input < 0 ? node.offset : node.inputs[binding.offset_of.input].offset;
      if (has_waves) [[unlikely]]
        note_shift(binding.slot, offset - binding.offset);
    }
    *pointer++ = data(binding.slot) + offset;
  }
  ScalarBytes* scalar = scalars_.data() + bound_->steps[k].first_scalar;
  for (const NodeRef& at : step.scalars) {
    std::memcpy((scalar++)->bytes, window[first + at.node].inputs[at.input].scalar, sizeof scalar->bytes);
  }
}

const std::vector<ByteBox>& Launch::boxes_of(const plan::CopyStep& copy) const {
  for (const MovedCopy& moved : moved_) {
    if (moved.copy == &copy) return moved.boxes;
  }
  return copy.boxes;
}

ir::KernelArguments Launch::arguments(size_t k) {
  const BoundPlan::BoundStep& bound = bound_->steps[k];
  return {.buffers = buffers_.data() + bound.first_buffer,
          .strides = bound.strides.data(),
          .dimensions = bound.dimensions.data(),
          .scalars = reinterpret_cast<const char*>(scalars_.data() + bound.first_scalar),
          .extents = bound_->plan.steps[k].kernel.extents.data(),
          .flags = flags_.data() + bound.first_flag};
}

size_t Launch::run(size_t k) {
  const int32_t w = bound_->steps[k].wave;
  if (w < 0 || !as_planned_) {
    run_step(k);
    return k + 1;
  }
  const plan::Wave& wave = bound_->plan.waves[w];
  run_wave(wave);
  return static_cast<size_t>(wave.end_step);
}

void Launch::copy_untouched(size_t k) {
  for (const plan::CopyStep& copy : bound_->plan.steps[k].copies)
    copy_boxes(data(copy.from), data(copy.to), boxes_of(copy));
}

void Launch::run_step(size_t k) {
  const plan::Step& step = bound_->plan.steps[k];
  const BoundPlan::BoundStep& bound = bound_->steps[k];
  copy_untouched(k);
  const ir::KernelArguments arguments = this->arguments(k);
  auto run_box = [&](const int64_t* begin, const int64_t* end) {
    count_run(k);
    run_kernel(k, arguments, begin, end);
  };
  const Dims& extents = step.kernel.extents;
  if (bound.grain == 0) {
    const Dims begin(extents.size(), 0);
    return run_box(begin.data(), extents.data());
  }
  auto body = [&](int64_t from, int64_t to) {
    Dims begin(extents.size(), 0);
    Dims end = extents;
    begin[bound.split_axis] = from;
    end[bound.split_axis] = to;
    run_box(begin.data(), end.data());
  };
  runtime::parallel_for(extents[bound.split_axis], bound.grain, body);
}

void Launch::run_kernel(size_t k, const ir::KernelArguments& arguments, const int64_t* begin, const int64_t* end) {
  const CachedKernel& kernel = *bound_->steps[k].kernel;
  if (const ir::KernelEntry entry = kernel.code_for(bound_->plan.steps[k].kernel.work)) {
    entry(&arguments, begin, end);
  } else {
    kernel.program->run(arguments, begin, end);
  }
  if (profile::counts_progress()) [[unlikely]] {
    int64_t lanes = 1;
    for (size_t axis = 0; axis < bound_->plan.steps[k].kernel.extents.size(); ++axis) lanes *= end[axis] - begin[axis];
    profile::add_progress(lanes);
  }
}

void Launch::count_run(size_t k) {
  const bool is_native = bound_->steps[k].kernel->entry.load(std::memory_order_relaxed) != nullptr;
  profile::add(is_native ? profile::Counter::kernels_native : profile::Counter::kernels_interpreted);
}

void Launch::run_all() noexcept {
  try {
    for (size_t k = 0; k < steps();) k = run(k);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

std::vector<Ref<Buffer>> Launch::written() const {
  std::vector<Ref<Buffer>> all;
  for (const plan::Step& step : bound_->plan.steps) {
    for (const plan::CopyStep& copy : step.copies) all.push_back(buffer(copy.to));
    for (size_t b = 0; step.kernel.kernel && b < step.kernel.buffers.size(); ++b)
      if (step.kernel.kernel->buffers[b].writable) all.push_back(buffer(step.kernel.buffers[b].slot));
  }
  return all;
}

std::exception_ptr Launch::clear() {
  bound_ = nullptr;
  external_.clear();
  blocks_.clear();
  flags_.clear();
  moved_.clear();
  shifts_.clear();
  return std::exchange(failure_, nullptr);
}

}  // namespace tessera::engine
