/// Prospect: the device that plans may choose instead of the host. Opening a GPU's driver takes a while, so it is
/// looked for when a plan first seems worth it, beside the program.
#pragma once

#include <atomic>

#include "tessera/runtime/device.h"

namespace tessera::engine {

class Prospect {
 public:
  /// With a device, that one; else the first GPU.
  explicit Prospect(runtime::Device* device = nullptr)
      : device_(device), state_(device ? State::open : State::unknown) {}

  /// Null until it is open.
  runtime::Device* device() const { return state_.load(std::memory_order_acquire) == State::open ? device_ : nullptr; }
  /// Known not to be there.
  bool is_missing() const { return state_.load(std::memory_order_relaxed) == State::missing; }
  /// Begins to open it, or does so before it returns.
  void open(bool in_background);

 private:
  enum class State : uint8_t { unknown, opening, open, missing };
  void find();

  runtime::Device* device_;
  std::atomic<State> state_;
};

}  // namespace tessera::engine
