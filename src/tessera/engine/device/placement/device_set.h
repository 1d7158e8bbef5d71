/// DeviceSet: the equal devices that a thread's work may run on, and which of them runs what.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/graph/storage.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// What the choice between equal devices depends on.
struct DeviceLoad {
  int64_t here = 0;  // bytes of the work's operands that are valid there
  bool fits = true;  // it can be used, and the work fits into its memory
};

/// The index of the device that runs the work: where most bytes of its operands are, of equal ones the first, so that
/// dependent work stays with its data. Where no device has any, the first that fits from `next` on, in a circle. -1 if
/// none fits.
int choose_equal(std::span<const DeviceLoad> devices, size_t next);

class DeviceSet {
 public:
  /// Not empty.
  DeviceSet(std::string name, std::vector<runtime::Device*> devices)
      : name_(std::move(name)), devices_(std::move(devices)) {}

  /// By which users choose it: "gpu:0-1".
  const std::string& name() const { return name_; }
  std::span<runtime::Device* const> devices() const { return devices_; }
  bool is_one() const { return devices_.size() == 1; }
  /// The first that can be used; null if none can.
  runtime::Device* usable() const {
    for (runtime::Device* device : devices_)
      if (device->is_usable()) return device;
    return nullptr;
  }
  /// The device for work on these versions that holds so many bytes; null if none can be used. A version that other
  /// code sees on one of the devices decides.
  runtime::Device* choose(std::span<const graph::Version* const> operands, int64_t nbytes);

 private:
  std::string name_;
  std::vector<runtime::Device*> devices_;
  size_t next_ = 0;  // where work without operands on a device begins next
  // The first operand of the work that began last, and where: asked again, the answer is the same.
  const graph::Version* asked_ = nullptr;
  runtime::Device* answered_ = nullptr;
};

}  // namespace tessera::engine
