/// DeviceSet: the equal devices that a thread's work may run on, and which of them runs what.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/graph/storage.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

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
  /// The one that can be used and has the most room, the first of equal ones; null if none can be used.
  runtime::Device* largest() const;
  /// The bytes that one of them can hold; 0 if none can be used.
  int64_t capacity() const;
  /// The bytes from which on it repays itself to cut an array over them; more than any has where they are parts of one
  /// device, or it does not say so.
  int64_t least_cut_bytes() const;
  /// On which of them the version is valid: bit k of the number for devices()[k].
  uint64_t where(const graph::Version& version) const;
  /// The number of the device; -1 if it is not one of them.
  int number_of(const runtime::Device* device) const;
  /// A device for work, and what take_turn() needs if it runs there.
  struct Chosen {
    runtime::Device* device = nullptr;
    bool is_turn = false;                   // it has none of the operands: the next such work begins on another one
    const graph::Version* first = nullptr;  // of the operands
  };
  /// The device for work on these versions that holds so many bytes; null if none can be used. A version that other
  /// code sees on one of the devices decides.
  Chosen choose(std::span<const graph::Version* const> operands, int64_t nbytes) const;
  /// The work runs on the device that was chosen.
  void take_turn(const Chosen& chosen);

 private:
  std::string name_;
  std::vector<runtime::Device*> devices_;
  size_t next_ = 0;  // where work without operands on a device begins next
  // The first operand of the work that began last, and where: asked again, the answer is the same.
  const graph::Version* asked_ = nullptr;
  runtime::Device* answered_ = nullptr;
};

}  // namespace tessera::engine
