/// DeviceLauncher: memory and launches of hand-built kernels on one device.
#pragma once

#include <vector>

#include "tessera/engine/engine.h"
#include "tessera/routines/launcher.h"

namespace tessera::engine {

class DeviceLauncher : public routines::Launcher {
 public:
  DeviceLauncher(Engine& engine, runtime::Device& device) : engine_(engine), device_(device) {}

  runtime::Device& device() override { return device_; }
  Ref<runtime::Buffer> allocate(int64_t count, DType dtype) override;
  const char* zeros(int64_t words) override { return engine_.zeros(device_, words); }
  void run(routines::KernelLaunch launch) override;
  bool is_ready(const routines::KernelLaunch& launch) override { return engine_.is_ready(device_, launch); }
  void gather() override { gathers_ = true; }
  void flush() override;

 private:
  Engine& engine_;
  runtime::Device& device_;
  bool gathers_ = false;
  std::vector<routines::KernelLaunch> gathered_;
};

}  // namespace tessera::engine
