/// Rounding to integers, remainders and Python's floor division as NumPy defines them, minima and maxima.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

TESSERA_MATH double floor(double x) { return __builtin_floor(x); }
TESSERA_MATH float floor(float x) { return __builtin_floorf(x); }
TESSERA_MATH double ceil(double x) { return __builtin_ceil(x); }
TESSERA_MATH float ceil(float x) { return __builtin_ceilf(x); }
TESSERA_MATH double trunc(double x) { return __builtin_trunc(x); }
TESSERA_MATH float trunc(float x) { return __builtin_truncf(x); }
/// To nearest, ties to even.
TESSERA_MATH double rint(double x) { return __builtin_rint(x); }
TESSERA_MATH float rint(float x) { return __builtin_rintf(x); }

/// C's remainder: exact, the sign of x.
TESSERA_MATH double fmod(double x, double y) { return __builtin_fmod(x, y); }
TESSERA_MATH float fmod(float x, float y) { return __builtin_fmodf(x, y); }

/// Python's divmod on floats: quotient rounded down, remainder with the divisor's sign.
template <Real T>
struct QuotientRemainder {
  T quotient, remainder;
};

template <Real T>
TESSERA_MATH QuotientRemainder<T> floor_divide_remainder(T a, T b) {
  T mod = fmod(a, b);
  T div = (a - mod) / b;
  bool adjust = mod != 0 && (b < 0) != (mod < 0);
  mod = adjust ? mod + b : (mod != 0 ? mod : copysign(T(0), b));
  div = adjust ? div - T(1) : div;
  T down = floor(div);
  down = div - down > T(0.5) ? down + T(1) : down;  // div is an integer up to rounding
  T quotient = div != 0 ? down : copysign(T(0), a / b);
  bool by_zero = b == 0;
  return {by_zero ? a / b : quotient, by_zero ? std::numeric_limits<T>::quiet_NaN() : mod};
}

template <Real T>
TESSERA_MATH T floor_div(T a, T b) { return floor_divide_remainder(a, b).quotient; }
template <Real T>
TESSERA_MATH T floor_mod(T a, T b) { return floor_divide_remainder(a, b).remainder; }

/// NaN if either is NaN; -0 is less than +0.
template <Real T>
TESSERA_MATH T min(T a, T b) {
  T least = a < b ? a : (b < a ? b : (sign_bit(a) ? a : b));
  return is_nan(a) ? a : (is_nan(b) ? b : least);
}
template <Real T>
TESSERA_MATH T max(T a, T b) {
  T greatest = a > b ? a : (b > a ? b : (sign_bit(a) ? b : a));
  return is_nan(a) ? a : (is_nan(b) ? b : greatest);
}
/// The other operand when one is NaN.
template <Real T>
TESSERA_MATH T min_num(T a, T b) { return is_nan(a) ? b : (is_nan(b) ? a : min(a, b)); }
template <Real T>
TESSERA_MATH T max_num(T a, T b) { return is_nan(a) ? b : (is_nan(b) ? a : max(a, b)); }

}  // namespace tessera::math
