/// pow, cbrt, hypot.
#pragma once

#include "tessera/ir/math/log_double_double.h"
#include "tessera/ir/math/rounding.h"

namespace tessera::math {

/// log|x| (or log2|x|) as pow uses it: infinite at 0 and infinity, so that products and exponentials give the limits.
template <Real T>
TESSERA_MATH T log_for_power(T a, T log_a) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  T l = a < inf ? log_a : a;  // +inf and NaN
  return a == T(0) ? -inf : l;
}

/// Special cases of pow from C99 Annex F (sign, bases below 0, and 1), given exp(y log_for_power(|x|)).
template <Real T>
TESSERA_MATH T pow_special(T x, T y, T magnitude) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  T half = y * T(0.5);
  bool integer = trunc(y) == y;
  bool odd = integer && trunc(half) != half;  // infinities count as even
  T r = fabs(x) == T(1) && y == y ? T(1) : magnitude;
  r = sign_bit(x) && odd ? -r : r;
  r = x < T(0) && !integer && fabs(x) < std::numeric_limits<T>::infinity() ? nan + y : r;
  return x == T(1) || y == T(0) ? T(1) : r;
}

/// y log|x| in double-double.
TESSERA_MATH DoubleDouble log_of_power(double x, double y) {
  double a = fabs(x);
  auto [log_a, low] = log_double_double(a);
  double l = log_for_power(a, log_a);
  auto [p, p_low] = two_product(y, l);
  return {p, fma_(y, low, p_low)};
}
TESSERA_MATH double power_of_log(double x, double y, DoubleDouble log) {
  return pow_special(x, y, exp_double_double(log.high, log.low));
}
TESSERA_MATH double pow(double x, double y) { return power_of_log(x, y, log_of_power(x, y)); }

/// The conditions for a variant of pow with the same bits in fewer steps: the base is positive, finite and normal, and
/// the power is far from both limits, which also bounds y.
TESSERA_MATH bool has_ordinary_log(double x) { return bits(x) - bits(0x1p-1022) < bits(infinity) - bits(0x1p-1022); }
TESSERA_MATH DoubleDouble ordinary_log_of_power(double x, double y) {
  auto [l, low] = log_double_double<true>(x);
  auto [p, p_low] = two_product(y, l);
  return {p, fma_(y, low, p_low)};
}
TESSERA_MATH bool is_ordinary_power(DoubleDouble log) { return fabs(log.high) < 700.0; }
TESSERA_MATH double ordinary_power_of_log(DoubleDouble log) { return exp_double_double<true>(log.high, log.low); }

/// 2^(y log2|x|) in double: the logarithm to 2^-37, the power to 2^-34.
TESSERA_MATH float pow(float x, float y) {
  double a = fabs(static_cast<double>(x));
  auto [k, f] = reduce_for_float_log(a);
  double l = fma_(f,
                  polynomial(f, 0x1.71547652bc261p+0, -0x1.71547653259f8p-1, 0x1.ec709d8d71f8ep-2,
                             -0x1.71547556faa59p-2, 0x1.2776e3397d6a8p-2, -0x1.ec71477071435p-3, 0x1.a60ad6e767991p-3,
                             -0x1.713b0d9a28f86p-3, 0x1.4986e4d88927ep-3, -0x1.296bd595dd717p-3, 0x1.f9c4424a68ff9p-4,
                             -0x1.c368c4e12bda1p-4, 0x1.432a37df945bbp-3, -0x1.3d005e04d7a20p-3),
                  k);
  double t = log_for_power(a, l) * static_cast<double>(y);
  t = t < -1000.0 ? -1000.0 : (t > 1000.0 ? 1000.0 : t);
  double shifted = t + round_shift;
  double r = t - (shifted - round_shift);
  double p = polynomial(r, 0x1.ffffffffab993p-1, 0x1.62e42ff116b22p-1, 0x1.ebfbe0a4f3b5ap-3, 0x1.c6b08aae779efp-5,
                        0x1.3b29dc13e6394p-7, 0x1.5d8a70e6d767cp-10, 0x1.446a442727425p-13, 0x1.fe177cfbc2896p-17);
  return pow_special(x, y, static_cast<float>(p * power_of_two(shifted_integer(shifted))));
}

/// x^(-1/3) by two fourth-order steps from an initial guess in the exponent's bits, times x, and a correction by the
/// residual.
TESSERA_MATH double cbrt(double x) {
  double a = fabs(x);
  bool tiny = a < 0x1p-1000;
  a = tiny ? a * 0x1p60 : a;
  a = a > 0x1p1000 ? a * 0x1p-60 : a;
  double rescale = tiny ? 0x1p-20 : (fabs(x) > 0x1p1000 ? 0x1p20 : 1.0);
  // bits / 3 by the high half of a product: the guess need not be exact.
  uint64_t third = static_cast<uint64_t>((bits(a) >> 32) * 0x55555556u >> 32) << 32;
  double r = from_bits(0x553ef0fe00000000u - third);
  double e = fma_(-a * r, r * r, 1.0);
  r = fma_(r * e, fma_(e, fma_(e, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0), r);
  e = fma_(-a * r, r * r, 1.0);
  r = fma_(r * e, fma_(e, fma_(e, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0), r);
  double y = a * (r * r);
  // a - y^3 with sufficient accuracy: y^2 in two parts.
  double square = y * y;
  double square_low = fma_(y, y, -square);
  double residual = fma_(-square_low, y, fma_(-square, y, a));
  y = fma_(residual * (1.0 / 3.0), r * r, y);
  y = copysign(y * rescale, x);
  return x == 0.0 || !is_finite(x) ? x : y;
}
TESSERA_MATH float cbrt(float x) {
  double a = fabs(static_cast<double>(x));
  uint64_t third = static_cast<uint64_t>((bits(a) >> 32) * 0x55555556u >> 32) << 32;
  double r = from_bits(0x553ef0fe00000000u - third);
  double e = fma_(-a * r, r * r, 1.0);
  r = fma_(r * e, fma_(e, fma_(e, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0), r);
  double y = a * (r * r);
  y = fma_(fma_(-y * y, y, a) * (1.0 / 3.0), r * r, y);
  return x == 0.0f || !is_finite(x) ? x : copysign(static_cast<float>(y), x);
}

/// sqrt(x^2 + y^2) of scaled operands, the squares in double-double, the root corrected by its residual.
TESSERA_MATH double hypot(double x, double y) {
  double a = fabs(x), b = fabs(y);
  bool swapped = b > a;
  double large = choose(swapped, b, a), small = choose(swapped, a, b);
  uint64_t size = bits(large);
  bool is_huge = size > bits(0x1p500), is_tiny = size < bits(0x1p-500);
  double down = choose(is_huge, 0x1p-600, is_tiny ? 0x1p600 : 1.0),
         up = choose(is_huge, 0x1p600, is_tiny ? 0x1p-600 : 1.0);
  double h = large * down, l = small * down;
  auto [hh, hh_low] = two_product(h, h);
  auto [ll, ll_low] = two_product(l, l);
  auto [sum, sum_low] = fast_two_sum(hh, ll);
  double root = sqrt(sum);
  double rest = moderate_quotient(fma_(-root, root, sum) + (sum_low + (hh_low + ll_low)), 2.0 * root);
  double r = choose(size == 0, 0.0, (root + rest) * up);
  r = choose(is_nan(x) | is_nan(y), quiet_nan, r);
  return choose((bits(a) == bits(infinity)) | (bits(b) == bits(infinity)), infinity, r);
}
TESSERA_MATH float hypot(float x, float y) {
  double a = x, b = y;
  double root = sqrt(a * a + b * b);  // no overflow in double
  return is_inf(x) || is_inf(y) ? infinity_f : static_cast<float>(root);
}

}  // namespace tessera::math
