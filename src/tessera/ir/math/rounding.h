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

/// The remainder of a by b > 0 where a / b reaches 2^52: long division of the significands, 11 bits per step.
inline double long_remainder(double a, double b) {
  auto exponent = [](double v) { return v < 0x1p-1022 ? int64_t{1} : static_cast<int64_t>(bits(v) >> 52); };
  auto significand = [](double v) {
    uint64_t m = bits(v) & 0x000fffffffffffff;
    return v < 0x1p-1022 ? m : m | 0x0010000000000000;
  };
  uint64_t divisor = significand(b), r = significand(a) % divisor;
  for (int64_t gap = exponent(a) - exponent(b); gap > 0; gap -= 11) {
    r = (r << (gap < 11 ? gap : 11)) % divisor;
  }
  return static_cast<double>(r) * 0x1p-1074 * (exponent(b) > 1000 ? 0x1p1000 : 1.0) *
         from_bits(static_cast<uint64_t>((exponent(b) > 1000 ? exponent(b) - 1000 : exponent(b)) - 1 + 1023) << 52);
}

/// C's remainder: exact, the sign of x.
TESSERA_MATH double fmod(double x, double y) {
  double a = fabs(x), b = fabs(y);
  double quotient = a / b;
  double r;
  if (quotient < 0x1p52) [[likely]] {
    r = fma_(-trunc(quotient), b, a);  // exact; the quotient may have rounded up to the next integer
    r = r < 0.0 ? r + b : r;
  } else {
    bool defined = is_finite(a) && b > 0.0;
    r = defined ? long_remainder(a, b) : quiet_nan;
  }
  return b == infinity && is_finite(a) ? x : copysign(r, x);
}

/// As in double, where six steps of 48 quotient bits cover the range of float without a loop.
TESSERA_MATH float fmod(float x, float y) {
  double r = fabs(static_cast<double>(x)), b = fabs(static_cast<double>(y));
  double inverse = 1.0 / b;
  auto step = [inverse](double a, double divisor, double down) {
    a = fma_(-trunc(a * (inverse * down)), divisor, a);
    a = a < 0.0 ? a + divisor : a;
    return a >= divisor ? a - divisor : a;
  };
  r = step(r, b * 0x1p240, 0x1p-240);
  r = step(r, b * 0x1p192, 0x1p-192);
  r = step(r, b * 0x1p144, 0x1p-144);
  r = step(r, b * 0x1p96, 0x1p-96);
  r = step(r, b * 0x1p48, 0x1p-48);
  r = step(r, b, 1.0);
  float result = y == 0.0f || !is_finite(x) ? quiet_nan_f : copysign(static_cast<float>(r), x);
  result = is_inf(y) && is_finite(x) ? x : result;
  return is_nan(y) ? quiet_nan_f : result;
}

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

/// The same by one division, for quotients far below the limit of exact integers: the integer quotient is then what
/// NumPy's steps round to, and the exact remainder identifies it.
template <Real T>
struct QuickDivision {
  T quotient, remainder;  // of the magnitudes, rounded towards zero
  bool is_right;          // when false, neither is valid
};

/// Valid for divisors far from the limits of the range.
TESSERA_MATH QuickDivision<double> divide_quickly(double a, double b) {
  double x = fabs(a), y = fabs(b);
  double ratio = moderate_quotient(x, y);
  double whole = trunc(ratio);
  double rest = fma_(-whole, y, x);
  bool rounded_up = rest < 0.0;
  return {rounded_up ? whole - 1.0 : whole, rounded_up ? rest + y : rest,
          y > 0x1p-900 && y < 0x1p900 && ratio < 0x1p50};
}

/// In double, where no quotient of floats below 2^29 rounds up to an integer.
TESSERA_MATH QuickDivision<float> divide_quickly(float a, float b) {
  double x = fabs(static_cast<double>(a)), y = fabs(static_cast<double>(b));
  double ratio = moderate_quotient(x, y);
  double whole = trunc(ratio);
  return {static_cast<float>(whole), static_cast<float>(fma_(-whole, y, x)), y > 0.0 && y < infinity && ratio < 0x1p21};
}

template <Real T>
TESSERA_MATH bool carries(T a, T b, const QuickDivision<T>& d) {
  return sign_bit(a) != sign_bit(b) && d.remainder != 0;
}

template <Real T>
TESSERA_MATH T quick_floor_div(T a, T b) {
  const QuickDivision<T> d = divide_quickly(a, b);
  T magnitude = carries(a, b, d) ? d.quotient + T(1) : d.quotient;
  return from_bits(bits(magnitude) | ((bits(a) ^ bits(b)) & bits(-T(0))));
}
template <Real T>
TESSERA_MATH T quick_floor_mod(T a, T b) {
  const QuickDivision<T> d = divide_quickly(a, b);
  return copysign(carries(a, b, d) ? fabs(b) - d.remainder : d.remainder, b);
}
template <Real T>
TESSERA_MATH T quick_rem(T a, T b) {
  return copysign(divide_quickly(a, b).remainder, a);
}

TESSERA_MATH double floor_div(double a, double b) {
  return divide_quickly(a, b).is_right ? quick_floor_div(a, b) : floor_divide_remainder(a, b).quotient;
}
TESSERA_MATH double floor_mod(double a, double b) {
  return divide_quickly(a, b).is_right ? quick_floor_mod(a, b) : floor_divide_remainder(a, b).remainder;
}
TESSERA_MATH float floor_div(float a, float b) { return floor_divide_remainder(a, b).quotient; }
TESSERA_MATH float floor_mod(float a, float b) { return floor_divide_remainder(a, b).remainder; }

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
TESSERA_MATH T min_num(T a, T b) {
  return is_nan(a) ? b : (is_nan(b) ? a : min(a, b));
}
template <Real T>
TESSERA_MATH T max_num(T a, T b) {
  return is_nan(a) ? b : (is_nan(b) ? a : max(a, b));
}

}  // namespace tessera::math
