#include "tessera/engine/host/bound_plan.h"
#include "tessera/engine/support/limits.h"

#include <algorithm>
#include <utility>

#include "tessera/graph/large_arrays.h"

namespace tessera::engine {

namespace {

/// Kernels on bytes are plain logic and integer arithmetic: an eighth of the memory traffic and no expensive functions.
bool only_bytes(const ir::Kernel& kernel) {
  return std::all_of(kernel.buffers.begin(), kernel.buffers.end(),
                     [](const auto& buffer) { return itemsize(buffer.dtype) == 1; });
}

void choose_split(const plan::KernelStep& step, BoundPlan::BoundStep& bound) {
  if (step.work < HostLimits::work_for_threads) return;
  if (step.work < 8 * HostLimits::work_for_threads && only_bytes(*step.kernel)) return;
  const Dims& extents = step.extents;
  int axis = 0;
  for (int k = 1; k < static_cast<int>(extents.size()); ++k) {
    if (extents[axis] < 16 && extents[k] > extents[axis]) axis = k;
  }
  if (extents[axis] < 2) return;
  bound.split_axis = axis;
  const int64_t per_index = std::max<int64_t>(1, step.work / extents[axis]);
  bound.grain = std::max<int64_t>(1, HostLimits::work_for_threads / 2 / per_index);
  // Splits along the contiguous axis stay on whole cache lines.
  if (axis + 1 == static_cast<int>(extents.size())) bound.grain = (bound.grain + 1023) / 1024 * 1024;
}

}  // namespace

std::shared_ptr<BoundPlan> bind_plan(plan::Plan plan, KernelCache& kernels) {
  auto bound = std::make_shared<BoundPlan>();
  bound->plan = std::move(plan);
  int64_t work = 0;
  for (const plan::Step& step : bound->plan.steps) {
    BoundPlan::BoundStep result;
    result.kernel = kernels.find_or_add(step.kernel.kernel_hash, step.kernel.kernel);
    for (const plan::Binding& binding : step.kernel.buffers) {
      result.strides.insert(result.strides.end(), binding.strides.begin(), binding.strides.end());
      result.dimensions.insert(result.dimensions.end(), binding.dimensions.begin(), binding.dimensions.end());
    }
    choose_split(step.kernel, result);
    result.first_buffer = bound->buffer_count;
    result.first_scalar = bound->scalar_count;
    result.first_flag = bound->flag_nodes.size();
    bound->buffer_count += step.kernel.buffers.size();
    bound->scalar_count += step.kernel.scalars.size();
    bound->flag_nodes.insert(bound->flag_nodes.end(), step.kernel.flag_nodes.begin(), step.kernel.flag_nodes.end());
    work += step.kernel.work;
    bound->steps.push_back(std::move(result));
  }
  for (size_t w = 0; w < bound->plan.waves.size(); ++w)
    bound->steps[bound->plan.waves[w].first_step].wave = static_cast<int32_t>(w);
  int64_t bytes = 0;
  for (const plan::Slot& slot : bound->plan.slots) {
    bytes += slot.nbytes;
    bound->large |= slot.nbytes >= graph::large_bytes;
  }
  bound->light = work <= HostLimits::light_work && bytes <= HostLimits::light_bytes;
  return bound;
}

bool BoundPlan::turn_to(const runtime::Device& wanted) {
  if (device == &wanted) return true;
  if (device) elsewhere.alone.push_back({std::exchange(device, nullptr), std::exchange(on_device, nullptr)});
  const auto at = std::ranges::find(elsewhere.alone, &wanted, &OfDevice::device);
  if (at == elsewhere.alone.end()) return false;
  device = at->device, on_device = std::move(at->plan);
  elsewhere.alone.erase(at);
  return true;
}

}  // namespace tessera::engine
