/// sin, cos, tan over the whole range of arguments.
///
/// double: x 2/pi modulo 4 from a row of 2/pi that the exponent picks (the idea of M. Payne and R. Hanek, "Radian
/// reduction for trigonometric functions", 1983), in exact products and sums; then polynomials in quarter turns.
/// float: reduction by Cody and Waite in double, after numbers from 2^48 on are replaced by m (2^s mod 2 pi).
#pragma once

#include "tessera/ir/math/double_double.h"
#include "tessera/ir/math/polynomial.h"
#include "tessera/ir/math/power_of_two.h"
#include "tessera/ir/math/rounding.h"
#include "tessera/ir/math/two_over_pi.h"

namespace tessera::math {

/// An angle as quadrant quarter turns plus (high + low) quarter turns, |high| <= 1/2.
struct QuarterTurns {
  double high, low;
  int64_t quadrant;
};

TESSERA_MATH double modulo_four(double x) { return fma_(rint(x * 0.25), -4.0, x); }

/// The row of 2/pi for moderate angles is the first.
TESSERA_MATH bool is_moderate_angle(double x) { return fabs(x) < 0x1p53; }

/// `moderate`: x is known to be a moderate angle, which spares the search for its row.
template <bool moderate = false>
TESSERA_MATH QuarterTurns reduce_angle(double x) {
  int64_t exponent = static_cast<int64_t>((bits(x) >> 52) & 0x7ff) - 1075;
  int64_t row = moderate || exponent < 0 ? 0 : exponent >> 2;
  const double(&t)[4] = two_over_pi[row];
  double m = x * power_of_two(-4 * row);  // an integer unless row is 0, below 2^57
  auto [h0, l0] = two_product(m, t[0]);
  auto [h1, l1] = two_product(m, t[1]);
  double h2 = m * t[2];
  double l2 = fma_(m, t[3], fma_(m, t[2], -h2));
  // Of five terms, each about 2^-53 of the one before, only the first is large; sums are exact until the last.
  auto [middle, middle_low] = two_sum(l0, h1);
  auto [tail, tail_low] = two_sum(l1, h2);
  auto [s, s_low] = two_sum(modulo_four(h0), middle);
  double shifted = s + round_shift;
  double f = s - (shifted - round_shift);
  auto [rest, rest_low] = two_sum(s_low + middle_low, tail);
  auto [high, low] = two_sum(f, rest);
  return {high, low + (rest_low + (tail_low + l2)), shifted_integer(shifted)};
}

/// sin(pi/2 (f + low)), as a leading part and the small rest.
TESSERA_MATH DoubleDouble sin_quarter(double f, double low, double z) {
  double p = polynomial(z, -0x1.4abbce625be47p-1, 0x1.466bc67758d76p-4, -0x1.32d2cce331f78p-8, 0x1.5078301a07d3bp-13,
                        -0x1.e300a4fe8ee0fp-19, 0x1.e4034fe01b7a0p-25);
  auto [head, rest] = two_product(f, 0x1.921fb54442d18p+0);
  rest = fma_(low, 0x1.921fb54442d18p+0, rest);
  return {head, fma_(f, fma_(z, p, 0x1.1a62633145c07p-54), rest)};
}

/// cos(pi/2 (f + low)), as a leading part and the small rest.
TESSERA_MATH DoubleDouble cos_quarter(double f, double low, double z) {
  double p = polynomial(z, 0x1.03c1f081b5abcp-2, -0x1.55d3c7e3ca6fdp-6, 0x1.e1f5068528b15p-11, -0x1.a6d1edbb4dca6p-16,
                        0x1.f9cd2030ecda7p-22, -0x1.b2a1ea31817fdp-28);
  auto [head, rest] = two_product(z, -0x1.3bd3cc9be45dep+0);
  double one = 1.0 + head;
  rest += head - (one - 1.0);
  rest = fma_(f * low, -2.0 * 0x1.3bd3cc9be45dep+0, rest);
  return {one, fma_(z * z, p, rest)};
}

TESSERA_MATH double with_quadrant_sign(double y, int64_t quadrant) {
  return from_bits(bits(y) ^ (static_cast<uint64_t>(quadrant & 2) << 62));
}

/// The sine where odd is false, else the cosine.
TESSERA_MATH double sine_or_cosine(const QuarterTurns& angle, bool odd) {
  double z = angle.high * angle.high;
  auto [s, s_rest] = sin_quarter(angle.high, angle.low, z);
  auto [c, c_rest] = cos_quarter(angle.high, angle.low, z);
  return odd ? c + c_rest : s + s_rest;
}

template <bool moderate = false>
TESSERA_MATH double sin(double x) {
  QuarterTurns angle = reduce_angle<moderate>(x);
  double y = with_quadrant_sign(sine_or_cosine(angle, (angle.quadrant & 1) != 0), angle.quadrant);
  return fabs(x) < 0x1p-27 ? x : y;
}

template <bool moderate = false>
TESSERA_MATH double cos(double x) {
  QuarterTurns angle = reduce_angle<moderate>(x);
  return with_quadrant_sign(sine_or_cosine(angle, (angle.quadrant & 1) == 0), angle.quadrant + 1);
}

/// The quotient of sine and cosine, corrected by its remainder.
template <bool moderate = false>
TESSERA_MATH double tan(double x) {
  auto [f, low, quadrant] = reduce_angle<moderate>(x);
  double z = f * f;
  auto [s0, s1] = sin_quarter(f, low, z);
  auto [c0, c1] = cos_quarter(f, low, z);
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
  double head = fma_(k, -0x1.921fb54442d18p+0, p) + p_low;  // exact, so that what cancels costs nothing
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
