/// Whether any integer is negative, which a power checks before it starts.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::eager {

/// Whether any of n packed elements of a signed integer type is below 0.
bool any_negative(DType dtype, const char* elements, int64_t n);

}  // namespace tessera::eager
