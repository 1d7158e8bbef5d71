/// correlate: sums of products of a sequence with taps that slide along it.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::library {

/// out[k] = sum over j of a[k - left + j] * v[j], k < count, elements of `a` outside [0, n) counting as zero; taps <=
/// n. Every sum runs over j upwards in the dtype (narrow floats in float32), so no result depends on the machine.
void correlate(const char* a, int64_t n, const char* v, int64_t taps, int64_t left, int64_t count, DType dtype,
               char* out);

}  // namespace tessera::library
