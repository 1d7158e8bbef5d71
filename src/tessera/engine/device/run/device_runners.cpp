#include "tessera/engine/device/run/device_runners.h"

#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/run/plan_facts.h"
#include "tessera/ir/builder.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/system_memory.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

DeviceRunner& DeviceRunners::of(runtime::Device& device) {
  for (auto& runner : runners_)
    if (&runner->device() == &device) return *runner;
  runners_.push_back(std::make_unique<DeviceRunner>(device));
  return *runners_.back();
}

void DeviceRunners::warm_up(runtime::Device& device) {
  if (device.takes_ir() || !kernels_.opens_in_background() || std::exchange(is_warm_, true)) return;
  runtime::run_in_background([this, &device] {
    codegen::Compiler* compiler = kernels_.compiler();
    if (!compiler) return;
    try {
      device.assemble(
          compiler->compile_ptx(ir::Builder(1, "nothing").take(), {.capability = device.facts().capability}), 1);
    } catch (const std::exception&) {  // the first kernel will report the problem
    }
  });
}

runtime::Device* DeviceRunners::find_failed() const {
  for (const auto& runner : runners_)
    if (!runner->device().failure().empty()) return &runner->device();
  return nullptr;
}

/// Reports, once per device, that a computation was too large for it.
bool DeviceRunners::refuse(const plan::Request& request, int64_t nbytes, const runtime::Device& device) {
  const graph::Form& form = *request.node(request.size() - 1).form;
  const std::string where = runtime::device_name(&device);
  fallbacks_.note("memory of " + where,
                  format("{} of shape {} needs {} at once, more than {} has to give: such work runs on the host",
                         form.op->name, shape_text(form.shape), runtime::size_text(nbytes), where));
  return false;
}

bool DeviceRunners::stream_through(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request,
                                   RunWindow& window, runtime::Device& device) {
  const std::vector<plan::Step>& steps = plan->plan.steps;
  if (std::none_of(steps.begin(), steps.end(),
                   [](const plan::Step& step) { return DeviceRunner::can_tile(step.kernel); }))
    return false;
  DeviceRunner& tiles = of(device);
  codegen::Compiler* compiler = compiler_for(device);
  profile::add(profile::Counter::device_windows);
  bool any = false;
  host_.run(plan, request, window, [&](const plan::KernelStep& step, const ir::KernelArguments& arguments) {
    const bool done = tiles.run_by_tiles(step, arguments, compiler);
    any |= done;
    return done;
  });
  if (!any) refuse(request, plan->most_node_bytes, device);
  return true;
}

/// Whether a device can access the elements at their addresses. Views may begin at any byte.
static bool is_aligned(const graph::Node& node) {
  const auto fits = [](int64_t offset, const Dims& strides, DType dtype) {
    for (int64_t stride : strides) offset |= stride;
    return (offset & (itemsize(real_dtype(dtype)) - 1)) == 0;
  };
  const graph::Form& form = *node.form;
  bool all = fits(node.offset, form.strides, form.dtype);
  for (int i = 0; i < form.input_count; ++i)
    if (const graph::InputForm& input = form.inputs[i]; !input.scalar)
      all = all && fits(node.inputs[i].offset, input.strides, input.dtype);
  return all;
}

bool DeviceRunners::can_access(const plan::Request& request) {
  for (int i = 0; i < request.size(); ++i)
    if (!is_aligned(request.node(i))) return false;
  return true;
}

bool DeviceRunners::run(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request, RunWindow& window,
                        runtime::Device& device) {
  if (!device.is_usable()) return false;
  BoundPlan& bound = *plan;
  // Other libraries see pinned memory, so it must be written in place.
  bool shared = false;
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    const bool is_pinned = node.form->pinned && node.old;
    shared |= is_pinned;
    const bool stays = is_pinned && !(node.old->lent && device_of(*node.old) == &device);
    if (!stays && is_aligned(node)) continue;
    profile::add(profile::Counter::device_fallbacks);
    return false;
  }
  measure(bound, request);
  if (bound.most_node_bytes > device.capacity())
    return stream_through(plan, request, window, device) || refuse(request, bound.most_node_bytes, device);
  require<OutOfMemory>(request.size() == 1 || bound.plan_bytes <= device.capacity(), "a plan of {} bytes",
                       bound.plan_bytes);
  DeviceRunner& runner = of(device);
  try {
    if (!bound.turn_to(device)) {
      bound.on_device = runner.bind(bound.plan, compiler_for(device));
      bound.device = &device;
      bound.cost.queued = bound.cost.waited = 0, bound.cost.queued_runs = 0, bound.cost.device_runs = 0;
    } else if (!bound.on_device->is_complete && bound.on_device->can_run()) {
      const Retry retry = bound.on_device->retry;
      bound.on_device = runner.bind(bound.plan, compiler_for(device));
      bound.on_device->retry = retry;
    }
    if (!bound.on_device->is_complete) {
      profile::add(profile::Counter::device_fallbacks);
      return false;
    }
    runner.run(bound.plan, *bound.on_device, request, window);
  } catch (const OutOfMemory&) {
    if (request.size() > 1) throw;  // it may fit in several plans
    // Memory that other libraries use on the device cannot be freed from here.
    return stream_through(plan, request, window, device) || refuse(request, bound.most_node_bytes, device);
  }
  if (shared) device.stream().synchronize();  // other libraries may read the results as soon as control returns
  return true;
}

}  // namespace tessera::engine
