/// tgamma and lgamma: Stirling's series from 4 on with logarithm and exponential in double-double; below 4 the recurrence
/// or, for lgamma, a fit of lgamma(x) / ((x - 1) (x - 2)); negative arguments by reflection.
#pragma once

#include "tessera/ir/math/log_double_double.h"
#include "tessera/ir/math/rounding.h"
#include "tessera/ir/math/trigonometric.h"

namespace tessera::math {

/// sin(pi x), exact in its zeros.
TESSERA_MATH double sin_pi(double x) {
  double quarters = 2.0 * (x - 2.0 * rint(0.5 * x));  // exact; in [-2, 2]
  double k = rint(quarters);
  double f = quarters - k;
  double z = f * f;
  int64_t quadrant = shifted_integer(k + round_shift);
  double s = sin_quarter(f, 0.0, z), c = cos_quarter(f, 0.0, z);
  return with_quadrant_sign((quadrant & 1) != 0 ? c : s, quadrant);
}

/// log Gamma(x + low) for 4 <= x < infinity: (x - 1/2) log x - x + log(2 pi) / 2 + S(1 / x^2) / x.
TESSERA_MATH DoubleDouble stirling(double x, double low) {
  auto [l, l_low] = log_double_double(x);
  double inverse = 1.0 / x;
  double w = inverse * inverse;
  double series = inverse * polynomial(w, 0x1.5555555555549p-4, -0x1.6c16c16bb5048p-9, 0x1.a019ffdf117f2p-11,
                                       -0x1.3812950fb0b36p-11, 0x1.b90db491a48cep-11, -0x1.f0bf4c7b4d387p-10,
                                       0x1.7a7fedca45b7dp-8, -0x1.258fa45f6b30bp-6, 0x1.1b3c23dfbe6cdp-5);
  auto [m, m_low] = fast_two_sum(l, -1.0);
  auto [a, a_low] = two_product(x, m);
  a_low = fma_(x, m_low + l_low, a_low);
  auto [b, b_low] = two_sum(a, -0.5 * l);
  auto [c, c_low] = two_sum(b, 0x1.d67f1c864beb5p-1);
  double rest = (a_low + b_low) + (c_low + fma_(l_low, -0.5, -0x1.65b5a1b7ff5dfp-55)) + series;
  rest = fma_(low, fma_(inverse, -0.5, l), rest);  // digamma(x) low
  return fast_two_sum(c, rest);
}

TESSERA_MATH double tgamma(double x) {
  double a = fabs(x);
  double t = a < 180.0 ? a : 180.0;
  t = x > 172.0 ? 172.0 : t;
  bool shift = t < 4.0;
  double y = shift ? t + 4.0 : t;
  auto [g, g_low] = stirling(y, shift ? t - (y - 4.0) : 0.0);
  // x (x + 1) (x + 2) (x + 3) = u (u + 2), u = x (x + 3)
  double u = t * (t + 3.0);
  double product = shift ? u * (u + 2.0) : 1.0;
  // Gamma(-a) = -pi / (a sin(pi a) Gamma(a)); from 1/Gamma no overflow turns into a false zero.
  bool negative = x < 0.0;
  double magnitude = exp_double_double(negative ? -g : g, negative ? -g_low : g_low);
  double direct = magnitude / product;
  double reflected = 0x1.921fb54442d18p+1 * (magnitude * product) / (-t * sin_pi(t));
  double r = negative ? reflected : direct;
  r = negative && a > 179.0 ? copysign(0.0, sin_pi(x)) : r;
  r = a < 0x1p-60 ? 1.0 / x : r;
  r = negative && trunc(x) == x ? quiet_nan : r;
  r = x == infinity || is_nan(x) ? x : r;
  return r;
}

TESSERA_MATH double lgamma(double x) {
  double a = fabs(x);
  bool negative = x < 0.0;
  bool large = a >= 4.0;
  // (1, 3) itself; below one up, above one down, which costs a logarithm.
  double y = a < 1.0 ? a + 1.0 : (a >= 3.0 ? a - 1.0 : a);
  double minus_one = a < 1.0 ? a : y - 1.0, minus_two = a < 1.0 ? a - 1.0 : y - 2.0;
  double u = minus_two / (y + 2.0);
  double h = polynomial(u, 0x1.b0ee6072093cep-2, -0x1.9ae6509ea10a0p-2, 0x1.0265d68d0b3a8p-3, -0x1.1ca03a9319e46p-3,
                        0x1.53b6dbff34acbp-4, -0x1.64fe196fde047p-4, 0x1.fe8d466f3f760p-5, -0x1.06955485dca01p-4,
                        0x1.990de9aa0750ap-5, -0x1.a06ea971040b1p-5, 0x1.551e3517643a6p-5, -0x1.59477ea7e9267p-5,
                        0x1.249fbf91e54c5p-5, -0x1.287f82e809688p-5, 0x1.f5cb79171deffp-6, -0x1.e7df754bc9020p-6,
                        0x1.37d4b173493cep-5, -0x1.b329624e987b4p-6, -0x1.44528379531e2p-5, -0x1.136584ac58fe1p-3);
  bool finite = a < infinity && a > 0.0;
  double reflection = fabs(sin_pi(a)) * a;
  double log_small = log(a < 1.0 ? (a > 0.0 ? a : 1.0) : (a >= 3.0 && !large ? y : 1.0));
  double middle = minus_one * minus_two * h + (a < 1.0 ? -log_small : log_small);
  auto [g, g_low] = stirling(large && finite && a < 0x1p1015 ? a : 4.0, 0.0);
  double r = large ? g + g_low : middle;
  r = a >= 0x1p1015 ? a * (log(a < infinity ? a : 1.0) - 1.0) : r;
  // log|Gamma(-a)| = log(pi / (a |sin(pi a)|)) - log Gamma(a)
  double mirrored = 0x1.250d048e7a1bdp+0 - log(reflection > 0.0 ? reflection : 1.0) - r;
  r = negative ? mirrored : r;
  r = a == 0.0 || (negative && trunc(x) == x) || a == infinity ? infinity : r;
  return is_nan(x) ? x : r;
}

TESSERA_MATH float tgamma(float x) { return static_cast<float>(tgamma(static_cast<double>(x))); }
TESSERA_MATH float lgamma(float x) { return static_cast<float>(lgamma(static_cast<double>(x))); }

}  // namespace tessera::math
