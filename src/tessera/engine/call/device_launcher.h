/// DeviceLauncher: memory and launches of hand-built kernels on one device.
#pragma once

#include <vector>

#include "tessera/engine/devices.h"
#include "tessera/graph/call.h"
#include "tessera/routines/launcher.h"

namespace tessera::engine {

class DeviceLauncher : public routines::Launcher {
 public:
  /// `operands` are those of a call.
  DeviceLauncher(Devices devices, runtime::Device& device, std::span<const graph::CallOperand> operands = {})
      : devices_(devices), device_(device), operands_(operands) {}

  runtime::Device& device() override { return device_; }
  Ref<runtime::Buffer> allocate(int64_t count, DType dtype) override;
  const char* zeros(int64_t words) override { return devices_.zeros(device_, words); }
  void run(routines::KernelLaunch launch) override;
  bool is_ready(const routines::KernelLaunch& launch) override { return devices_.is_ready(device_, launch); }
  void gather() override { gathers_ = true; }
  void flush() override;
  const routines::Kept* find_kept(int k, std::string_view what) override;
  void keep(int k, std::string_view what, routines::Kept kept) override;

 private:
  /// The contents of an operand that is all of a version which only the engine writes; else null.
  graph::Version* own_version(int k) const;

  Devices devices_;
  runtime::Device& device_;
  std::span<const graph::CallOperand> operands_;
  bool gathers_ = false;
  std::vector<routines::KernelLaunch> gathered_;
};

}  // namespace tessera::engine
