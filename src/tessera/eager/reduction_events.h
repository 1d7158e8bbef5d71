/// The floating-point events of sums and products of many elements, derived from the operands and the results.
#pragma once

#include <cstdint>

#include "tessera/eager/host_array.h"
#include "tessera/layout/dtype.h"

namespace tessera::eager {

/// Which values that are not finite occur.
struct Specials {
  bool nan = false;
  bool infinite = false;
};

/// The values of n elements, `step` bytes apart, that are not finite.
Specials find_specials(DType dtype, const char* data, int64_t step, int64_t n);
/// Infinity from finite elements is an overflow, NaN from numbers is invalid.
uint32_t events_of(Specials result, Specials operands);
/// The events of a dense result that sums up products of two operands.
uint32_t contraction_events(const HostView& a, const HostView& b, const HostView& result);
/// The events of a reduction of n elements, `step` bytes apart, to one.
uint32_t reduction_events(DType dtype, const char* result, const char* data, int64_t step, int64_t n);

}  // namespace tessera::eager
