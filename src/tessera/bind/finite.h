/// Whether results hold infinities or NaNs: without any, an op on floats gave rise to no event worth a closer look.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::bind {

/// True when all n packed elements are finite numbers; integers and booleans always are.
bool all_finite(DType dtype, const char* elements, int64_t n);

}  // namespace tessera::bind
