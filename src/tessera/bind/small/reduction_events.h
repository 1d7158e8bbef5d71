/// The floating-point events of sums and products of many elements, derived from the operands and the results.
#pragma once

#include <cstdint>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The events of a reduction of n elements, `step` bytes apart: infinity from finite elements is an overflow, NaN from
/// numbers is invalid.
uint32_t reduction_events(DType dtype, const char* result, const char* data, int64_t step, int64_t n);
/// The same for the 0-d total of all of source, whose elements are checked where they are, on the host or a device.
uint32_t total_events(const Array& source, const Array& total);
/// The same for a matrix product or another contraction if all its elements are on the host; otherwise 0.
uint32_t contraction_events(const Array& a, const Array& b, const Array& result);

}  // namespace tessera::bind
