/// Prospect: the devices that plans may choose instead of the host. Opening a GPU's driver is slow, so they are opened
/// in the background when a plan first seems to benefit.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/engine/device/placement/device_set.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

class Prospect {
 public:
  /// `find` opens the devices; it returns none where there are none, or throws.
  Prospect(std::string name, std::function<std::vector<runtime::Device*>()> find)
      : name_(std::move(name)), find_(std::move(find)) {}

  /// By which users choose it: "auto".
  const std::string& name() const { return name_; }
  /// Null until they are open.
  DeviceSet* devices() const {
    return state_.load(std::memory_order_acquire) == State::open ? devices_.get() : nullptr;
  }
  /// The first of them that can be used, or else the first; null until they are open.
  runtime::Device* device() const {
    const DeviceSet* set = devices();
    if (!set) return nullptr;
    runtime::Device* usable = set->usable();
    return usable ? usable : set->devices()[0];
  }
  /// Whether the devices are known not to exist.
  bool is_missing() const { return state_.load(std::memory_order_relaxed) == State::missing; }
  /// Opens the devices, in the background or before it returns.
  void open(bool in_background);

 private:
  enum class State : uint8_t { unknown, opening, open, missing };
  void find();

  const std::string name_;
  const std::function<std::vector<runtime::Device*>()> find_;
  std::unique_ptr<DeviceSet> devices_;
  std::atomic<State> state_{State::unknown};
};

}  // namespace tessera::engine
