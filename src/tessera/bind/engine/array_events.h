/// The floating-point events of engine work that records none: full reductions, from their results.
#pragma once

#include <cstdint>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The events of the 0-d total of all of source, whose elements are checked where they are, on the host or a device.
uint32_t total_events(const Array& source, const Array& total);

}  // namespace tessera::bind
