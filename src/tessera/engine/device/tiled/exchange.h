/// Exchange: what places send each other between two launches, all at once.
#pragma once

#include <vector>

#include "tessera/engine/device/run/device_runners.h"
#include "tessera/engine/device/tiled/tiled_slots.h"

namespace tessera::engine {

/// Messages between places that need nothing of each other.
class Exchange {
 public:
  Exchange(const TiledSlots& slots, DeviceRunners& devices) : slots_(slots), devices_(devices) {}

  /// Those before are queued first where this message sends what one of them brings, or overwrites what one sends.
  void add(const tile::Message& message);
  /// Queues them; what is queued at the places afterwards comes after them.
  void flush();

 private:
  bool is_after(const tile::Message& message, const tile::Message& before) const;

  const TiledSlots& slots_;
  DeviceRunners& devices_;
  std::vector<tile::Message> messages_;
};

}  // namespace tessera::engine
