/// Sums and products of doubles that keep their rounding errors.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

/// An unevaluated sum of two doubles, |low| at most half a unit in the last place of high once normalised.
struct DoubleDouble {
  double high, low;
};

/// a + b exactly, in any order of magnitude (D. Knuth).
TESSERA_MATH DoubleDouble two_sum(double a, double b) {
  double s = a + b;
  double c = s - a;
  return {s, (a - (s - c)) + (b - c)};
}
/// a + b exactly when |a| >= |b| or a is 0 (T. Dekker).
TESSERA_MATH DoubleDouble fast_two_sum(double a, double b) {
  double s = a + b;
  return {s, b - (s - a)};
}
/// a * b exactly.
TESSERA_MATH DoubleDouble two_product(double a, double b) {
  double p = a * b;
  return {p, fma_(a, b, -p)};
}

}  // namespace tessera::math
