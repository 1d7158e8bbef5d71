/// Whether work that the host could do at once, without a plan or a call, is the engine's to place.
#pragma once

#include <span>

#include "tessera/engine/engine.h"
#include "tessera/ops/cost.h"

namespace tessera::engine {

/// Whether there is a device and the array is large enough for the engine to choose where work on it runs: the work is
/// then recorded.
bool may_choose_device(Engine& engine, const Array& array);
/// Whether the engine chooses a device for work of this cost on the arrays: the work is then recorded. The answer is
/// noted, and the arrays may be moved.
bool would_choose_device(Engine& engine, std::span<const Array* const> arrays, const ops::Cost& cost);

}  // namespace tessera::engine
