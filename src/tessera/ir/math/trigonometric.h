/// sin, cos, tan over the whole range of arguments.
///
/// double: angles below 2^40 minus a multiple of pi/2 in three parts, of which the first product cancels exactly (the
/// idea of W. Cody and W. Waite, "Software Manual for the Elementary Functions", 1980); larger ones as x 2/pi modulo 4
/// with a row of 2/pi selected by the exponent (M. Payne and R. Hanek, "Radian reduction for trigonometric functions",
/// 1983), in exact products and sums; then polynomials. float: reduction by Cody and Waite in double, after numbers
/// from 2^48 on are replaced by m (2^s mod 2 pi).
#pragma once

#include "tessera/ir/math/double_double.h"
#include "tessera/ir/math/polynomial.h"
#include "tessera/ir/math/power_of_two.h"
#include "tessera/ir/math/rounding.h"
#include "tessera/ir/math/two_over_pi.h"

namespace tessera::math {

/// An angle of `quadrant` times pi/2 plus high + low radians, |high| at most about pi/4.
struct Angle {
  double high, low;
  int64_t quadrant;
};

/// How to reduce an angle: any, with a branch on its size; known to be small; or mixed, in vector loops, which compute
/// both reductions for every element.
enum class AngleKind : uint8_t { any, small, mixed };

TESSERA_MATH bool is_small_angle(double x) { return fabs(x) < 0x1p40; }

TESSERA_MATH Angle reduce_small_angle(double x) {
  double shifted = fma_(x, 0x1.45f306dc9c883p-1, round_shift);
  double k = shifted - round_shift;
  // The difference is a multiple of x's last place or of 2^-53 and below 1, so it is exact.
  double rest = fma_(k, -0x1.921fb54442d18p+0, x);
  auto [p, p_low] = two_product(k, 0x1.1a62633145c07p-54);
  auto [high, low] =
      fast_two_sum(rest, -p);  // also exact where rest is the smaller operand, as a multiple of p's last place
  return {high, fma_(k, 0x1.f1976b7ed8fbcp-110, low - p_low), shifted_integer(shifted)};
}

/// Converts high + low, in units of pi/2, to radians.
TESSERA_MATH Angle quarter_turns(double high, double low, int64_t quadrant) {
  auto [p, p_low] = two_product(high, 0x1.921fb54442d18p+0);
  return {p, fma_(high, 0x1.1a62633145c07p-54, fma_(low, 0x1.921fb54442d18p+0, p_low)), quadrant};
}

TESSERA_MATH double modulo_four(double x) { return fma_(rint(x * 0.25), -4.0, x); }

TESSERA_MATH Angle reduce_large_angle(double x) {
  int64_t exponent = static_cast<int64_t>((bits(x) >> 52) & 0x7ff) - 1075;
  int64_t row = exponent < 0 ? 0 : exponent >> 2;
  const double(&t)[4] = two_over_pi[row];
  double m = x * power_of_two(-4 * row);  // an integer unless row is 0, below 2^57
  auto [h0, l0] = two_product(m, t[0]);
  auto [h1, l1] = two_product(m, t[1]);
  double h2 = m * t[2];
  double l2 = fma_(m, t[3], fma_(m, t[2], -h2));
  // Of the five terms, each about 2^-53 of the one before, only the first is large; sums are exact except the last.
  auto [middle, middle_low] = two_sum(l0, h1);
  auto [tail, tail_low] = two_sum(l1, h2);
  auto [s, s_low] = two_sum(modulo_four(h0), middle);
  double shifted = s + round_shift;
  double f = s - (shifted - round_shift);
  auto [rest, rest_low] = two_sum(s_low + middle_low, tail);
  auto [high, low] = two_sum(f, rest);
  return quarter_turns(high, low + (rest_low + (tail_low + l2)), shifted_integer(shifted));
}

template <AngleKind kind>
TESSERA_MATH Angle reduce_angle(double x) {
  if constexpr (kind == AngleKind::mixed) {
    const bool is_small = is_small_angle(x);
    const Angle a = reduce_small_angle(x), b = reduce_large_angle(x);
    return {choose(is_small, a.high, b.high), choose(is_small, a.low, b.low), is_small ? a.quadrant : b.quadrant};
  }
  if (kind == AngleKind::small || is_small_angle(x)) [[likely]]
    return reduce_small_angle(x);
  return reduce_large_angle(x);
}

/// sin(f + low), as a leading part and the small rest; z = f^2.
TESSERA_MATH DoubleDouble sin_near_zero(double f, double low, double z) {
  double p = polynomial(z, -0x1.5555555555548p-3, 0x1.111111110f75dp-7, -0x1.a01a019bf21e5p-13, 0x1.71de355efce0bp-19,
                        -0x1.ae5e5467f241fp-26, 0x1.5d8e31450447ap-33);
  return {f, fma_(f * z, p, fma_(z * -0.5, low, low))};
}

/// cos(f + low), as a leading part and the small rest; z = f^2.
TESSERA_MATH DoubleDouble cos_near_zero(double f, double low, double z) {
  double p = polynomial(z, 0x1.555555555554bp-5, -0x1.6c16c16c15016p-10, 0x1.a01a019c8f3ccp-16, -0x1.27e4f7f199b3cp-22,
                        0x1.1ee9dbccea09fp-29, -0x1.8fa67f16a2d8p-37);
  double one = fma_(z, -0.5, 1.0);
  double rest = fma_(z, -0.5, 1.0 - one);
  return {one, fma_(z * z, p, fma_(-f, low, rest))};
}

TESSERA_MATH double with_quadrant_sign(double y, int64_t quadrant) {
  return from_bits(bits(y) ^ (static_cast<uint64_t>(quadrant & 2) << 62));
}

/// The sine where odd is false, else the cosine.
TESSERA_MATH double sine_or_cosine(const Angle& angle, bool odd) {
  double z = angle.high * angle.high;
  auto [s, s_rest] = sin_near_zero(angle.high, angle.low, z);
  auto [c, c_rest] = cos_near_zero(angle.high, angle.low, z);
  return odd ? c + c_rest : s + s_rest;
}

template <AngleKind kind = AngleKind::any>
TESSERA_MATH double sin(double x) {
  Angle angle = reduce_angle<kind>(x);
  double y = with_quadrant_sign(sine_or_cosine(angle, (angle.quadrant & 1) != 0), angle.quadrant);
  return fabs(x) < 0x1p-27 ? x : y;
}

template <AngleKind kind = AngleKind::any>
TESSERA_MATH double cos(double x) {
  Angle angle = reduce_angle<kind>(x);
  return with_quadrant_sign(sine_or_cosine(angle, (angle.quadrant & 1) == 0), angle.quadrant + 1);
}

/// The quotient of sine and cosine, corrected by its remainder.
template <AngleKind kind = AngleKind::any>
TESSERA_MATH double tan(double x) {
  auto [f, low, quadrant] = reduce_angle<kind>(x);
  double z = f * f;
  auto [s0, s1] = sin_near_zero(f, low, z);
  auto [c0, c1] = cos_near_zero(f, low, z);
  auto [s, s_low] = fast_two_sum(s0, s1);
  auto [c, c_low] = fast_two_sum(c0, c1);
  bool odd = (quadrant & 1) != 0;
  double n = odd ? -c : s, n_low = odd ? -c_low : s_low;
  double d = odd ? s : c, d_low = odd ? s_low : c_low;
  double inverse = 1.0 / d;
  double q = n * inverse;
  double y = q + (fma_(-q, d, n) + fma_(-q, d_low, n_low)) * inverse;
  return fabs(x) < 0x1p-27 ? x : y;
}

/// x = quadrant pi/2 + r with |r| <= pi/4, r good to about 2^-57.
struct Radians {
  double r;
  int64_t quadrant;
};

TESSERA_MATH Radians reduce_angle(float x) {
  double a = x;
  double size = fabs(a);
  bool from_48 = size >= 0x1p48, from_72 = size >= 0x1p72, from_96 = size >= 0x1p96, from_120 = size >= 0x1p120;
  double m = a, c = 1.0, c_low = 0.0;
  // 2^24, 2^48, 2^72, 2^96 modulo 2 pi; m stays an integer below 2^48.
  m = from_48 ? a * 0x1p-24 : m;
  c = from_48 ? -0x1.c9b6498c1137fp-1 : c;
  c_low = from_48 ? -0x1.2643605c762f1p-58 : c_low;
  m = from_72 ? a * 0x1p-48 : m;
  c = from_72 ? 0x1.09f4683d25023p-3 : c;
  c_low = from_72 ? 0x1.fee10ecf6f246p-59 : c_low;
  m = from_96 ? a * 0x1p-72 : m;
  c = from_96 ? 0x1.ee6639887604dp-3 : c;
  c_low = from_96 ? 0x1.8b437ad3f55e0p-58 : c_low;
  m = from_120 ? a * 0x1p-96 : m;
  c = from_120 ? 0x1.89a58c41dc40cp+1 : c;
  c_low = from_120 ? -0x1.27745096c7eeep-53 : c_low;
  auto [p, p_low] = two_product(m, c);
  double shifted = fma_(p, 0x1.45f306dc9c883p-1, round_shift);
  double k = shifted - round_shift;
  double head = fma_(k, -0x1.921fb54442d18p+0, p) + p_low;  // exact, so that cancellation loses nothing
  double r = head + fma_(k, -0x1.1a62633145c07p-54, m * c_low);
  return {r, shifted_integer(shifted)};
}

/// sin and cos of |r| <= pi/4 for results in float.
TESSERA_MATH double sin_radians(double r, double z) {
  double p = polynomial(z, -0x1.5555554b5fef5p-3, 0x1.1111079b01684p-7, -0x1.a00ed414ab21bp-13, 0x1.6ca8941a8adf1p-19);
  return fma_(r * z, p, r);
}
TESSERA_MATH double cos_radians(double z) {
  double p = horner(z, 0x1.555549773a16ep-5, -0x1.6c0bc4ded207dp-10, 0x1.99c83f4d1d3b8p-16);
  return fma_(z * z, p, fma_(z, -0.5, 1.0));
}

TESSERA_MATH float sin(float x) {
  auto [r, quadrant] = reduce_angle(x);
  double z = r * r;
  double s = sin_radians(r, z), c = cos_radians(z);
  float y = static_cast<float>(with_quadrant_sign((quadrant & 1) != 0 ? c : s, quadrant));
  return x == 0.0f ? x : y;
}

TESSERA_MATH float cos(float x) {
  auto [r, quadrant] = reduce_angle(x);
  double z = r * r;
  double s = sin_radians(r, z), c = cos_radians(z);
  return static_cast<float>(with_quadrant_sign((quadrant & 1) != 0 ? s : c, quadrant + 1));
}

TESSERA_MATH float tan(float x) {
  auto [r, quadrant] = reduce_angle(x);
  double z = r * r;
  double s = sin_radians(r, z), c = cos_radians(z);
  bool odd = (quadrant & 1) != 0;
  float y = static_cast<float>((odd ? -c : s) / (odd ? s : c));
  return x == 0.0f ? x : y;
}

}  // namespace tessera::math
