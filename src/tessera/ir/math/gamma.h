/// tgamma and lgamma: Stirling's series from 4 on with logarithm and exponential in double-double; below 4 the
/// recurrence or, for lgamma, an approximation of lgamma(x) / ((x - 1) (x - 2)); negative arguments by reflection.
#pragma once

#include "tessera/ir/math/log_double_double.h"
#include "tessera/ir/math/rounding.h"
#include "tessera/ir/math/trigonometric.h"

namespace tessera::math {

/// sin(pi x), exact at its zeros.
TESSERA_MATH double sin_pi(double x) {
  double quarters = 2.0 * (x - 2.0 * rint(0.5 * x));  // exact; in [-2, 2]
  double k = rint(quarters);
  double f = quarters - k;
  int64_t quadrant = shifted_integer(k + round_shift);
  return with_quadrant_sign(sine_or_cosine(quarter_turns(f, 0.0, quadrant), (quadrant & 1) != 0), quadrant);
}

/// log Gamma(x + low) for 3.5 <= x < infinity, given log x: (x - 1/2) log x - x + log(2 pi) / 2 + S(1 / x^2) / x.
TESSERA_MATH DoubleDouble stirling(double x, double low, DoubleDouble log_x) {
  auto [l, l_low] = log_x;
  double inverse = 1.0 / x;
  double w = inverse * inverse;
  double series =
      inverse * polynomial(w, 0x1.555555555554cp-4, -0x1.6c16c16bcf6bap-9, 0x1.a01a006927895p-11,
                           -0x1.3812e4a00d00bp-11, 0x1.b925efeb956fcp-11, -0x1.f2df7a1f856dep-10, 0x1.88b3838ef6963p-8,
                           -0x1.5d3b7e8dd8ae4p-6, 0x1.03ba556aae0bbp-4, -0x1.a26a265a964d4p-4);
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
  bool reflect = x < -0.5;
  double t = reflect ? (a < 185.0 ? a : 185.0) : (x > 172.0 ? 172.0 : x);
  bool shift = t < 4.0;
  double y = shift ? t + 4.0 : t;
  auto [g, g_low] = stirling(y, shift ? t - (y - 4.0) : 0.0, log_double_double(y));
  // x (x + 1) (x + 2) (x + 3) = u (u + 2), u = x (x + 3)
  auto [v, v_low] = two_sum(t, 3.0);
  auto [u, u_low] = two_product(t, v);
  u_low = fma_(t, v_low, u_low);
  auto [w, w_low] = two_sum(u, 2.0);
  auto [p, p_low] = two_product(u, w);
  p_low += fma_(u, w_low + u_low, u_low * w);
  p = shift ? p : 1.0;
  p_low = shift ? p_low : 0.0;
  // Gamma(-a) = -pi / (a sin(pi a) Gamma(a)): the exponent is negated, so that no intermediate overflows. 2^200 keeps
  // intermediates out of the subnormal range.
  double magnitude = exp_double_double(reflect ? -g : g, reflect ? -g_low : g_low, reflect ? 200 : 0);
  double n = reflect ? -0x1.921fb54442d18p+1 * p : magnitude;
  double d = reflect ? t * sin_pi(t) : p;
  double quotient = n / d;
  double correction = p_low / p;
  double r = reflect ? quotient * magnitude : quotient;
  r = is_finite(r) ? fma_(r, reflect ? correction : -correction, r) : r;
  r = reflect ? r * 0x1p-200 : r;
  r = reflect && a > 184.0 ? copysign(0.0, sin_pi(x)) : r;
  r = a < 0x1p-60 ? 1.0 / x : r;
  r = x < 0.0 && trunc(x) == x ? quiet_nan : r;
  return x == infinity || is_nan(x) ? x : r;
}

TESSERA_MATH double lgamma(double x) {
  double a = fabs(x);
  bool negative = x < 0.0;
  bool large = a >= 4.0;
  // x is moved into (1, 3): from below by one step up, from above by one step down. Both steps need a logarithm.
  double y = a < 1.0 ? a + 1.0 : (a >= 3.0 ? a - 1.0 : a);
  double minus_one = a < 1.0 ? a : y - 1.0, minus_two = a < 1.0 ? a - 1.0 : y - 2.0;
  double u = minus_two / (y + 2.0);
  double h = polynomial(u, 0x1.b0ee6072093cep-2, -0x1.9ae6509ea10a0p-2, 0x1.0265d68d0b3a8p-3, -0x1.1ca03a9319e46p-3,
                        0x1.53b6dbff34acbp-4, -0x1.64fe196fde047p-4, 0x1.fe8d466f3f760p-5, -0x1.06955485dca01p-4,
                        0x1.990de9aa0750ap-5, -0x1.a06ea971040b1p-5, 0x1.551e3517643a6p-5, -0x1.59477ea7e9267p-5,
                        0x1.249fbf91e54c5p-5, -0x1.287f82e809688p-5, 0x1.f5cb79171deffp-6, -0x1.e7df754bc9020p-6,
                        0x1.37d4b173493cep-5, -0x1.b329624e987b4p-6, -0x1.44528379531e2p-5, -0x1.136584ac58fe1p-3);
  bool huge = a >= 0x1p1000;
  double argument = large ? a : (a >= 3.0 ? y : a);
  argument = argument > 0.0 && argument < infinity ? argument : 1.0;
  DoubleDouble log_argument = log_double_double(argument);
  double product = minus_one * minus_two;
  double middle =
      a < 1.0 ? fma_(product, h, -log_argument.high) : (a < 3.0 ? product * h : fma_(product, h, log_argument.high));
  auto [g, g_low] = stirling(large && !huge ? a : 4.0, 0.0, log_argument);
  double r = large ? g : middle, r_low = large ? g_low : 0.0;
  // log|Gamma(-a)| = log(pi / (a |sin(pi a)|)) - log Gamma(a)
  double reflection = fabs(sin_pi(a)) * a;
  auto [l, l_low] = log_double_double(reflection > 0.0 ? reflection : 1.0);
  auto [m, m_low] = two_sum(-l, -r);
  auto [n, n_low] = two_sum(m, 0x1.250d048e7a1bdp+0);
  double mirrored = n + (n_low + (m_low - (l_low + r_low)));
  r = negative ? mirrored : r + r_low;
  r = a < 0x1p-60 ? -log_argument.high : r;
  r = huge ? a * (log_argument.high - 1.0) : r;
  r = a == 0.0 || (negative && trunc(x) == x) || a == infinity ? infinity : r;
  return is_nan(x) ? x : r;
}

TESSERA_MATH float tgamma(float x) { return static_cast<float>(tgamma(static_cast<double>(x))); }
TESSERA_MATH float lgamma(float x) { return static_cast<float>(lgamma(static_cast<double>(x))); }

}  // namespace tessera::math
