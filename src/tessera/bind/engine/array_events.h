/// The floating-point events of engine work that records none: full reductions and contractions, from their results.
#pragma once

#include <cstdint>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The events of the 0-d total of all of source, whose elements are checked where they are, on the host or a device.
uint32_t total_events(const Array& source, const Array& total);
/// The events of a matrix product or another contraction if all its elements are on the host; otherwise 0.
uint32_t contraction_events(const Array& a, const Array& b, const Array& result);

}  // namespace tessera::bind
