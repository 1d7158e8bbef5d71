/// What functions that pick from tables of sixteen numbers need, for one double; pack.h has the same for many.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

/// The number at the place that the low four bits say.
TESSERA_MATH double pick(const double (&row)[16], double number) { return row[bits(number) & 15]; }
/// The smaller of both, or NaN if x is.
TESSERA_MATH double at_most(double x, double limit) { return x > limit ? limit : x; }
TESSERA_MATH double where_equal(double x, double y, double then, double otherwise) { return x == y ? then : otherwise; }

}  // namespace tessera::math
