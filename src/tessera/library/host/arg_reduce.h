/// arg_reduce: the index of the smallest or largest element of each lane.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::library {

/// out[o * inner + i] = index of the first extreme element of data[o, :, i]; data is C-contiguous, n > 0. The first NaN
/// wins.
void arg_reduce(bool largest, const char* data, DType dtype, int64_t outer, int64_t n, int64_t inner, int64_t* out);

}  // namespace tessera::library
