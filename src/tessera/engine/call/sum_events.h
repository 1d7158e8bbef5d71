/// events_of_sum: what happens to floating-point numbers where sums of parts are added, which no part sees.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"
#include "tessera/runtime/buffer.h"

namespace tessera::engine {

/// The events of adding up `parts` sums of `size` numbers each, which stand one behind the other.
uint32_t events_of_sum(const runtime::Buffer& sums, DType dtype, int64_t parts, int64_t size);

}  // namespace tessera::engine
