/// Prospect: the device that plans may choose instead of the host. Opening a GPU's driver is slow, so it is opened in
/// the background when a plan first seems to benefit.
#pragma once

#include <atomic>

#include "tessera/runtime/device.h"

namespace tessera::engine {

class Prospect {
 public:
  /// With a device: that one; else the first GPU.
  explicit Prospect(runtime::Device* device = nullptr)
      : device_(device), state_(device ? State::open : State::unknown) {}

  /// Null until the device is open.
  runtime::Device* device() const { return state_.load(std::memory_order_acquire) == State::open ? device_ : nullptr; }
  /// Whether the device is known not to exist.
  bool is_missing() const { return state_.load(std::memory_order_relaxed) == State::missing; }
  /// Opens the device, in the background or before it returns.
  void open(bool in_background);

 private:
  enum class State : uint8_t { unknown, opening, open, missing };
  void find();

  runtime::Device* device_;
  std::atomic<State> state_;
};

}  // namespace tessera::engine
