#include "tessera/engine/device/placement.h"

#include "tessera/base/error.h"
#include "tessera/engine/device/coherence.h"
#include "tessera/engine/device/simulated_device.h"
#include "tessera/engine/impl.h"
#include "tessera/profile/counters.h"

namespace tessera {

namespace engine {

runtime::Device* find_device(const std::string& where) {
  if (where.empty() || where == "cpu" || where == "auto") return nullptr;
  if (where == "simulated") return &simulated_device();
  int number = 0;
  const bool is_numbered = where.size() == 5 && where.starts_with("gpu:") && where[4] >= '0' && where[4] <= '9';
  if (is_numbered) number = where[4] - '0';
  require<ValueError>(where == "gpu" || is_numbered, "device must be 'cpu', 'gpu', 'gpu:N' or 'auto' (got '{}')", where);
  return &runtime::device(number);
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
  engine::Recorder& window = impl_->recorder();
  if (device == window.device) return;
  impl_->run_until(window, window.end());
  window.device = device;
}

std::string Engine::device() { return engine::device_name(impl_->recorder().device); }

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

bool Engine::Impl::run_on_device(engine::BoundPlan& bound, const plan::Request& request, engine::Recorder& window) {
  if (!window.device->is_usable()) return false;
  // Others see pinned memory, so a write to it happens where it lies.
  bool shared = false;
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    if (!node.form->pinned) continue;
    shared = true;
    if (node.old->lent && engine::device_of(*node.old) == window.device) continue;
    profile::add(profile::Counter::device_fallbacks);
    return false;
  }
  engine::DeviceRunner& runner = runner_of(*window.device);
  if (bound.device != window.device) {
    bound.on_device = runner.bind(bound.plan, window.device->takes_ir() ? nullptr : kernels.compiler());
    bound.device = window.device;
  }
  if (!bound.on_device->is_complete) {
    profile::add(profile::Counter::device_fallbacks);
    return false;
  }
  runner.run(bound.plan, *bound.on_device, request, window);
  if (shared) window.device->stream().synchronize();  // others may look as soon as control returns
  return true;
}

}  // namespace tessera
