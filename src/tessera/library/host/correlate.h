/// correlate: sums of products of a sequence with a sliding window of taps.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::library {

/// out[k] = sum over j of a[k - left + j] * v[j] for k < count; elements of `a` outside [0, n) are zero; taps <= n.
/// Each sum runs over ascending j in the dtype (narrow floats in float32), so the result does not depend on the
/// machine.
void correlate(const char* a, int64_t n, const char* v, int64_t taps, int64_t left, int64_t count, DType dtype,
               char* out);

}  // namespace tessera::library
