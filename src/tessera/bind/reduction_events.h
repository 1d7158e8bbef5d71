/// The floating-point events of sums and products of many elements, told from what went in and what came out.
#pragma once

#include <cstdint>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// What a fold of n elements, `step` bytes apart, gave rise to: infinity from finite elements overflowed, NaN from
/// numbers is invalid.
uint32_t reduction_events(DType dtype, const char* result, const char* data, int64_t step, int64_t n);
/// The same of the 0-d total of all of the source, which is asked where its elements are.
uint32_t total_events(const Array& source, const Array& total);
/// The same of a matrix product or another contraction, all of whose elements are on the host; 0 when they are not.
uint32_t contraction_events(const Array& a, const Array& b, const Array& result);

}  // namespace tessera::bind
