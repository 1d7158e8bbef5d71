/// WatchDropped: who hears that an array was dropped whose contents are pending.
#pragma once

namespace tessera::graph {

class Window;

/// `report` is called while `count` is not 0. Guarded by the engine's lock.
struct WatchDropped {
  int count = 0;
  void (*report)(Window& window) = nullptr;
};

inline constinit WatchDropped watch_dropped;

}  // namespace tessera::graph
