#include "tessera/engine/call/small_path.h"

#include "tessera/engine/device/run/library_access.h"

namespace tessera::engine {

bool may_choose_device(Engine& engine, const Array& array) { return engine.devices().may_choose(array); }

bool would_choose_device(Engine& engine, std::span<const Array* const> arrays, const ops::Cost& cost) {
  return library_device(engine, arrays, cost) != nullptr;
}

}  // namespace tessera::engine
