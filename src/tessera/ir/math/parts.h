/// The representation of floats: mantissa and exponent, scaling, neighbours.
#pragma once

#include "tessera/ir/math/power_of_two.h"

namespace tessera::math {

/// frexp's mantissa in [0.5, 1), or x itself when x is 0, inf or NaN.
TESSERA_MATH double frexp_mantissa(double x) {
  double y = fabs(x) < 0x1p-1022 ? x * 0x1p54 : x;
  double m = from_bits((bits(y) & 0x800fffffffffffffu) | 0x3fe0000000000000u);
  return x == 0 || !is_finite(x) ? x + x : m;
}
TESSERA_MATH float frexp_mantissa(float x) { return static_cast<float>(frexp_mantissa(static_cast<double>(x))); }

/// frexp's exponent; 0 when x is 0, inf or NaN.
TESSERA_MATH int32_t frexp_exponent(double x) {
  bool tiny = fabs(x) < 0x1p-1022;
  double y = tiny ? x * 0x1p54 : x;
  int32_t e = static_cast<int32_t>((bits(y) >> 52) & 0x7ff) - (tiny ? 1022 + 54 : 1022);
  return x == 0 || !is_finite(x) ? 0 : e;
}
TESSERA_MATH int32_t frexp_exponent(float x) { return frexp_exponent(static_cast<double>(x)); }

/// x * 2^k rounded once.
TESSERA_MATH double ldexp(double x, int32_t k) {
  // Normalising first leaves any rounding to a subnormal to the last product.
  double m = frexp_mantissa(x);
  int32_t e = frexp_exponent(x);
  k = k < -5000 ? -5000 : (k > 5000 ? 5000 : k);
  int32_t total = e + k;
  total = total < -1200 ? -1200 : (total > 1100 ? 1100 : total);
  return scale(m, int64_t{total});
}
TESSERA_MATH float ldexp(float x, int32_t k) {
  k = k < -500 ? -500 : (k > 500 ? 500 : k);
  return static_cast<float>(static_cast<double>(x) * power_of_two(int64_t{k}));
}

/// The neighbour of x towards y.
TESSERA_MATH double next_after(double x, double y) {
  uint64_t b = bits(x);
  bool away = (x < y) == (x > 0);
  uint64_t step = away ? b + 1 : b - 1;
  double from_zero = from_bits((bits(y) & 0x8000000000000000u) | 1u);
  double moved = x == 0 ? from_zero : from_bits(step);
  moved = x == y ? y : moved;
  return is_nan(x) || is_nan(y) ? x + y : moved;
}
TESSERA_MATH float next_after(float x, float y) {
  uint32_t b = bits(x);
  bool away = (x < y) == (x > 0);
  uint32_t step = away ? b + 1 : b - 1;
  float from_zero = from_bits((bits(y) & 0x80000000u) | 1u);
  float moved = x == 0 ? from_zero : from_bits(step);
  moved = x == y ? y : moved;
  return is_nan(x) || is_nan(y) ? x + y : moved;
}

/// The distance from x to its neighbour away from zero, with the sign of x. For both zeros it is the smallest positive
/// number.
TESSERA_MATH double spacing(double x) {
  return is_inf(x) ? quiet_nan : next_after(x, copysign(infinity, x == 0 ? 0 : x)) - x;
}
TESSERA_MATH float spacing(float x) {
  return is_inf(x) ? quiet_nan_f : next_after(x, copysign(infinity_f, x == 0 ? 0 : x)) - x;
}

}  // namespace tessera::math
