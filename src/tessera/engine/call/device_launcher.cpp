#include "tessera/engine/call/device_launcher.h"

#include <algorithm>

#include "tessera/runtime/device.h"

namespace tessera::engine {

Ref<runtime::Buffer> DeviceLauncher::allocate(int64_t count, DType dtype) {
  return device_.allocate(static_cast<size_t>(std::max<int64_t>(1, count) * itemsize(dtype)));
}

void DeviceLauncher::run(routines::KernelLaunch launch) {
  const bool is_compiled = devices_.is_compiled(device_, launch);
  gathered_.push_back(std::move(launch));
  if (!gathers_ || (is_compiled && gathered_.size() == 1)) flush();
}

void DeviceLauncher::flush() {
  if (!gathered_.empty() && !devices_.launch_routines(device_, gathered_)) throw routines::NoDeviceCode{};
  gathered_.clear();
}

}  // namespace tessera::engine
