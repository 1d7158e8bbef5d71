#include "tessera/engine/device/placement.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/engine/device/coherence.h"
#include "tessera/engine/device/launch_form.h"
#include "tessera/engine/device/machine_facts.h"
#include "tessera/engine/device/simulated_device.h"
#include "tessera/engine/impl.h"
#include "tessera/profile/counters.h"

namespace tessera {

namespace engine {

runtime::Device* find_device(const std::string& where) {
  if (where.empty() || where == "cpu" || where == "auto" || where == "auto:simulated") return nullptr;
  if (where == "simulated") return &simulated_device();
  int number = 0;
  const bool is_numbered = where.size() == 5 && where.starts_with("gpu:") && where[4] >= '0' && where[4] <= '9';
  if (is_numbered) number = where[4] - '0';
  require<ValueError>(where == "gpu" || is_numbered, "device must be 'cpu', 'gpu', 'gpu:N' or 'auto' (got '{}')", where);
  return &runtime::device(number);
}

runtime::Device* find_choice(const std::string& where) {
  if (where == "auto:simulated") return &simulated_device();
  return where == "auto" && runtime::device_count() > 0 ? &runtime::device(0) : nullptr;
}

std::string device_name(const runtime::Device* device) {
  if (!device) return "cpu";
  for (int number = 0; number < runtime::device_count(); ++number)
    if (device == &runtime::device(number)) return format("gpu:{}", number);
  return "simulated";
}

}  // namespace engine

void Engine::set_device(const std::string& where) {
  runtime::Device* device = engine::find_device(where);
  runtime::Device* choice = engine::find_choice(where);
  engine::Recorder& window = impl_->recorder();
  if (device == window.device && choice == window.choice) return;
  impl_->run_until(window, window.end());
  window.device = device;
  window.choice = choice;
}

std::string Engine::device() {
  const engine::Recorder& window = impl_->recorder();
  if (!window.choice) return engine::device_name(window.device);
  return window.choice->takes_ir() ? "auto:simulated" : "auto";
}

std::string Engine::device_problem() {
  for (const auto& runner : impl_->device_runners)
    if (!runner->problem().empty()) return runner->problem();
  return runtime::device_problem();
}

engine::DeviceRunner& Engine::Impl::runner_of(runtime::Device& device) {
  for (auto& runner : device_runners)
    if (&runner->device() == &device) return *runner;
  device_runners.push_back(std::make_unique<engine::DeviceRunner>(device));
  return *device_runners.back();
}

namespace {

/// Bytes each side lacks of the plan's operands.
engine::Residence find_residence(const plan::Plan& plan, const plan::Request& request) {
  engine::Residence residence;
  for (const plan::Slot& slot : plan.slots) {
    if (slot.external.node < 0) continue;
    const graph::Node& node = request.node(slot.external.node);
    const graph::Version& version = slot.external.input < 0 ? *node.old : *node.inputs[slot.external.input].version;
    if (engine::is_unplaced(version)) continue;
    if (!version.device_memory) residence.only_on_host += version.nbytes;
    if (!version.data) residence.only_on_device += version.nbytes;
  }
  return residence;
}

engine::PlanCost find_cost(const plan::Plan& plan) {
  engine::PlanCost cost;
  for (const plan::Step& step : plan.steps) {
    if (!step.kernel.kernel) continue;
    int64_t bytes = 0;
    for (const plan::Binding& binding : step.kernel.buffers) {
      int64_t elements = 1;
      for (size_t axis = 0; axis < binding.strides.size(); ++axis)
        if (binding.strides[axis] != 0) elements *= binding.dimensions[axis];
      const size_t k = static_cast<size_t>(&binding - step.kernel.buffers.data());
      bytes += elements * itemsize(step.kernel.kernel->buffers[k].dtype);
    }
    cost.add_kernel(bytes, step.kernel.work * engine::lane_cost(*step.kernel.kernel));
  }
  cost.kernels = std::max<int64_t>(1, cost.kernels);
  return cost;
}

}  // namespace

runtime::Device* Engine::Impl::place(engine::BoundPlan& bound, const plan::Request& request, engine::Recorder& window) {
  if (bound.cost.kernels == 0) bound.cost = find_cost(bound.plan);
  const bool is_small = bound.cost.is_small();
  if (is_small && !device_has_results) return nullptr;
  for (int i = 0; i < request.size(); ++i)
    if (request.node(i).form->pinned) return nullptr;
  const engine::Residence residence = find_residence(bound.plan, request);
  if (is_small && residence.only_on_device == 0) return nullptr;
  if (!machine) machine = engine::find_machine_facts(*window.choice, options.cache_folder);
  const bool is_compiled = bound.device == window.choice;
  if (is_compiled && !bound.on_device->is_complete) return nullptr;
  if (!engine::choose_device(bound.cost, residence, is_compiled, *machine, bound.regret)) return nullptr;
  device_has_results = true;
  return window.choice;
}

bool Engine::Impl::run_on_device(engine::BoundPlan& bound, const plan::Request& request, engine::Recorder& window,
                                 runtime::Device& device) {
  if (!device.is_usable()) return false;
  // Others see pinned memory, so a write to it happens where it lies.
  bool shared = false;
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    if (!node.form->pinned) continue;
    shared = true;
    if (node.old->lent && engine::device_of(*node.old) == &device) continue;
    profile::add(profile::Counter::device_fallbacks);
    return false;
  }
  engine::DeviceRunner& runner = runner_of(device);
  if (bound.device != &device) {
    bound.on_device = runner.bind(bound.plan, device.takes_ir() ? nullptr : kernels.compiler());
    bound.device = &device;
  }
  if (!bound.on_device->is_complete) {
    profile::add(profile::Counter::device_fallbacks);
    return false;
  }
  runner.run(bound.plan, *bound.on_device, request, window);
  if (shared) device.stream().synchronize();  // others may look as soon as control returns
  return true;
}

}  // namespace tessera
