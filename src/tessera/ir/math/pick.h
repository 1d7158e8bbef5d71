/// Operations for functions with table look-ups of sixteen numbers, on one double; pack.h has the same for Pack.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

/// The table entry at the index in the low four bits of `number`.
TESSERA_MATH double pick(const double (&row)[16], double number) { return row[bits(number) & 15]; }
/// The smaller of the two, or NaN if x is NaN.
TESSERA_MATH double at_most(double x, double limit) { return x > limit ? limit : x; }
TESSERA_MATH double where_equal(double x, double y, double then, double otherwise) { return x == y ? then : otherwise; }

}  // namespace tessera::math
