/// The logarithm to about 2^-66 and the exponential of an unevaluated sum: the basis of pow and gamma.
#pragma once

#include "tessera/ir/math/double_double.h"
#include "tessera/ir/math/log.h"

namespace tessera::math {

/// log(x) for positive finite x. 2 s (1 + s^2 (1/3 + s^2 P(s^2))) with all but the last product in double-double.
template <bool normal = false>
TESSERA_MATH DoubleDouble log_double_double(double x) {
  auto [k, f] = reduce_for_log<normal>(x);
  double d = 2.0 + f;
  double d_low = f - (d - 2.0);
  double inverse = moderate_quotient(1.0, d);
  double s = f * inverse;
  double s_low = (fma_(-s, d, f) - s * d_low) * inverse;
  double z = s * s;
  double z_low = fma_(s, s, -z) + 2.0 * s * s_low;
  double p = polynomial(z, 0x1.9999999999996p-3, 0x1.2492492493036p-3, 0x1.c71c71c58048cp-4, 0x1.745d183261e89p-4,
                        0x1.3b1362b2066dfp-4, 0x1.1120b63ac3a48p-4, 0x1.de3358992eacbp-5, 0x1.eb11e825b72f8p-5);
  auto [third, third_low] = fast_two_sum(0x1.5555555555555p-2, z * p);
  third_low += 0x1.5555555555555p-56;
  auto [t, t_low] = two_product(z, third);
  t_low += fma_(z, third_low, z_low * third);
  auto [product, product_low] = two_product(2.0 * s, t);
  product_low += 2.0 * fma_(s, t_low, s_low * t);
  auto [h1, e1] = fast_two_sum(k * ln2_high, 2.0 * s);
  auto [h2, e2] = fast_two_sum(h1, product);
  return fast_two_sum(h2, fma_(k, ln2_low, product_low + 2.0 * s_low) + (e1 + e2));
}

/// 2^extra exp(high + low). For infinite or NaN high, low is ignored and high decides the result. `moderate`: |high| <
/// 700 and extra is 0, so that nothing overflows and nothing is subnormal.
template <bool moderate = false>
TESSERA_MATH double exp_double_double(double high, double low, int64_t extra = 0) {
  double clamped = high;
  if constexpr (!moderate) {
    clamped = high < -1000.0 ? -1000.0 : high;
    clamped = clamped > 710.0 ? 710.0 : clamped;
    low = fabs(high) < 1100.0 ? low : 0.0;
  }
  double shifted = fma_(clamped, log2_of_e, round_shift);
  double k = shifted - round_shift;
  double head = fma_(k, -ln2_high, clamped);
  double r = fma_(k, -ln2_low, head);
  low += fma_(k, -ln2_low, head - r);
  double q = polynomial(r, 0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.5555555550861p-5, 0x1.1111111127c64p-7,
                        0x1.6c16c184309cdp-10, 0x1.a01a012a38fd9p-13, 0x1.a01999f99bdcap-16, 0x1.71df257a5c5fbp-19,
                        0x1.28ad850352828p-22, 0x1.ad7f5d7ad1b01p-26);
  double sum = 1.0 + r;
  double rest = fma_(r * r, q, r - (sum - 1.0));
  double y = sum + fma_(sum + rest, low, rest);
  if constexpr (moderate) return y * power_of_two(shifted_integer(shifted));
  return scale(y, shifted_integer(shifted) + extra);
}

}  // namespace tessera::math
