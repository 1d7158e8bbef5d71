/// DeviceLauncher: memory and launches of hand-built kernels on one device.
#pragma once

#include <vector>

#include "tessera/engine/devices.h"
#include "tessera/routines/launcher.h"

namespace tessera::engine {

class DeviceLauncher : public routines::Launcher {
 public:
  DeviceLauncher(Devices devices, runtime::Device& device) : devices_(devices), device_(device) {}

  runtime::Device& device() override { return device_; }
  Ref<runtime::Buffer> allocate(int64_t count, DType dtype) override;
  const char* zeros(int64_t words) override { return devices_.zeros(device_, words); }
  void run(routines::KernelLaunch launch) override;
  bool is_ready(const routines::KernelLaunch& launch) override { return devices_.is_ready(device_, launch); }
  void gather() override { gathers_ = true; }
  void flush() override;

 private:
  Devices devices_;
  runtime::Device& device_;
  bool gathers_ = false;
  std::vector<routines::KernelLaunch> gathered_;
};

}  // namespace tessera::engine
