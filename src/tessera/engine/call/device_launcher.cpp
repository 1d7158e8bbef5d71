#include "tessera/engine/call/device_launcher.h"

#include <algorithm>

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/kept.h"
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

graph::Version* DeviceLauncher::own_version(int k) const {
  if (static_cast<size_t>(k) >= operands_.size()) return nullptr;
  const graph::CallOperand& operand = operands_[static_cast<size_t>(k)];
  graph::Version* version = operand.version.get();
  const bool is_whole = version && operand.view.offset == 0 && operand.view.is_c_contiguous() &&
                        operand.view.size() * operand.view.itemsize() == version->nbytes;
  return is_whole && !version->foreign && !version->lent && find_copy(*version, device_) ? version : nullptr;
}

const routines::Kept* DeviceLauncher::find_kept(int k, std::string_view what) {
  const graph::Version* version = own_version(k);
  return version ? engine::find_kept(*version, what, device_) : nullptr;
}

void DeviceLauncher::keep(int k, std::string_view what, routines::Kept kept) {
  if (graph::Version* version = own_version(k)) engine::keep(*version, what, std::move(kept), device_);
}

}  // namespace tessera::engine
