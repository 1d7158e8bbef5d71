/// Detection of infinities and NaNs in results: if there are none, an op on floats raised no floating-point event other
/// than underflow.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::eager {

/// True when all n packed elements are finite numbers; integers and booleans always are.
bool all_finite(DType dtype, const char* elements, int64_t n);

}  // namespace tessera::eager
