/// DeviceRunners: the devices in use, and plans on them.
#pragma once

#include <memory>
#include <vector>

#include "tessera/engine/device/run/device_runner.h"
#include "tessera/engine/host/runner.h"
#include "tessera/engine/kernels/kernel_cache.h"
#include "tessera/engine/support/fallbacks.h"
#include "tessera/plan/request.h"

namespace tessera::engine {

class DeviceRunners {
 public:
  /// `host` runs the steps of plans that do not go through a device.
  DeviceRunners(KernelCache& kernels, Runner& host, Fallbacks& fallbacks)
      : kernels_(kernels), host_(host), fallbacks_(fallbacks) {}

  /// The device is in use from now on.
  DeviceRunner& of(runtime::Device& device);
  const std::vector<std::unique_ptr<DeviceRunner>>& all() const { return runners_; }
  /// A device in use that has failed; null when none has.
  runtime::Device* find_failed() const;
  /// The compiler for the device's kernels; null for a device that takes the IR.
  codegen::Compiler* compiler_for(const runtime::Device& device) {
    return device.takes_ir() ? nullptr : kernels_.compiler();
  }
  /// Opens the compiler and the driver's assembler in the background, which would delay the first result by 40 ms.
  void warm_up(runtime::Device& device);
  /// Whether a device can access the elements of the request's arrays at their addresses.
  static bool can_access(const plan::Request& request);
  /// Runs the plan on the device; false when it has to run on the host.
  bool run(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request, RunWindow& window,
           runtime::Device& device);

 private:
  /// As run, for a plan with arrays larger than the device: they are processed in parts and stay on the host.
  bool stream_through(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request, RunWindow& window,
                      runtime::Device& device);
  /// Counts and reports that the request is too large for the device; returns false.
  bool refuse(const plan::Request& request, int64_t nbytes, const runtime::Device& device);

  KernelCache& kernels_;
  Runner& host_;
  Fallbacks& fallbacks_;
  std::vector<std::unique_ptr<DeviceRunner>> runners_;
  bool is_warm_ = false;
};

}  // namespace tessera::engine
