/// sinh, cosh, tanh and their inverses.
#pragma once

#include "tessera/ir/math/double_double.h"
#include "tessera/ir/math/log.h"

namespace tessera::math {

/// |x| = k ln2 + r; sinh and cosh of k ln2 are sums of two powers of two, those of r are series.
struct HyperbolicParts {
  DoubleDouble sum, difference;  // (2^k +- 2^-k) / 16
  double r, r_low;
  double sinh_minus_r, cosh_minus_one;  // of r
};

TESSERA_MATH HyperbolicParts reduce_for_hyperbolic(double a) {
  double clamped = a > 711.0 ? 711.0 : a;
  double shifted = fma_(clamped, log2_of_e, round_shift);
  double k = shifted - round_shift;
  double head = fma_(k, -ln2_high, clamped);
  double r = fma_(k, -ln2_low, head);
  double r_low = fma_(k, -ln2_low, head - r);
  double z = r * r;
  double s = polynomial(z, 0x1.5555555555555p-3, 0x1.1111111111113p-7, 0x1.a01a01a018814p-13, 0x1.71de3a5eb77bep-19,
                        0x1.ae641c57fe491p-26, 0x1.61d75c70687dap-33);
  double c = polynomial(z, 0x1.5555555555558p-5, 0x1.6c16c16c1503dp-10, 0x1.a01a01ad6917cp-16, 0x1.27e4cc419627bp-22,
                        0x1.1f8b907f777ffp-29);
  int64_t n = shifted_integer(shifted);
  double grow = power_of_two(n - 4), shrink = power_of_two(-4 - (n < 1000 ? n : 1000));
  return {fast_two_sum(grow, shrink), fast_two_sum(grow, -shrink), r, r_low, r * z * s, z * fma_(z, c, 0.5)};
}

TESSERA_MATH double sinh(double x) {
  auto [a, b, r, r_low, s, c] = reduce_for_hyperbolic(fabs(x));
  auto [p, p_low] = two_product(a.high, r);
  auto [head, low] = fast_two_sum(b.high, p);  // b is 0 or the larger operand
  double y = 8.0 * (head + ((low + b.low) + (p_low + fma_(a.high, s + r_low, b.high * c))));
  return fabs(x) < 0x1p-27 ? x : copysign(x == x ? y : x, x);
}
TESSERA_MATH double cosh(double x) {
  auto [a, b, r, r_low, s, c] = reduce_for_hyperbolic(fabs(x));
  return 8.0 * (a.high + (a.low + fma_(b.high, r + s, a.high * c)));
}

struct HyperbolicPartsF {
  double sum, difference;  // (2^k +- 2^-k) / 2
  double sinh, cosh_minus_one;
};

/// As above with fewer terms; k stays far from the limits of double's range.
TESSERA_MATH HyperbolicPartsF reduce_for_hyperbolic(float a) {
  double clamped = a > 100.0f ? 100.0f : a;
  double shifted = fma_(clamped, log2_of_e, round_shift);
  double k = shifted - round_shift;
  double r = fma_(k, -0x1.62e42fefa39efp-1, clamped);
  double z = r * r;
  double s = horner(z, 0x1.555555739294bp-3, 0x1.1110b1aa0809ap-7, 0x1.a1702125ff98fp-13);
  double c = horner(z, 0x1.5554e5fbf0d2cp-5, 0x1.6d4f1514b9e93p-10);
  int64_t n = shifted_integer(shifted);
  double grow = power_of_two(n - 1), shrink = power_of_two(-1 - n);
  return {grow + shrink, grow - shrink, fma_(r * z, s, r), z * fma_(z, c, 0.5)};
}

TESSERA_MATH float sinh(float x) {
  auto [a, b, s, c] = reduce_for_hyperbolic(fabs(x));
  float y = static_cast<float>(b + fma_(a, s, b * c));
  return x == x ? copysign(y, x) : x;
}
TESSERA_MATH float cosh(float x) {
  auto [a, b, s, c] = reduce_for_hyperbolic(fabs(x));
  return static_cast<float>(a + fma_(b, s, a * c));
}

/// t / (t + 2) for t = e^(2|x|) - 1, with the quotient's remainder.
TESSERA_MATH double tanh(double x) {
  double a = fabs(x);
  auto [t, t_low] = expm1_parts(2.0 * (a > 22.0 ? 22.0 : a));
  auto [d, d_low] = two_sum(t, 2.0);
  double inverse = moderate_quotient(1.0, d);
  double y = t * inverse;
  y += (fma_(-y, d, t) + fma_(-y, d_low + t_low, t_low)) * inverse;
  return a < 0x1p-28 || is_nan(x) ? x : copysign(y, x);
}

TESSERA_MATH float tanh(float x) {
  float a = fabs(x);
  float z = x * x;
  float p = horner(z, -0x1.55553ep-2f, 0x1.110c3cp-3f, -0x1.b96b2ap-5f, 0x1.603f12p-6f, -0x1.05012ep-7f, 0x1.2f7e82p-9f,
                   -0x1.7c22d6p-12f);
  float near_zero = fma_(x * z, p, x);
  float e = exp(2.0f * (a > 10.0f ? 10.0f : a));
  float d = e + 1.0f;
  float d_low = e - (d - 1.0f);
  float q = 2.0f / d;
  float far = 1.0f - fma_(q * d_low, -0.5f * q, q);  // q corrected by the rounding error of d
  return copysign(a < 0.9f ? near_zero : far, x);
}

/// log(|x| + sqrt(x^2 + 1)) with argument and root in double-double.
TESSERA_MATH double asinh(double x) {
  double a = fabs(x);
  bool large = a > 0x1p28;
  double t = large ? 1.0 : a;
  auto [p, p_low] = two_product(t, t);
  auto [q, q_low] = two_sum(p, 1.0);
  double root = sqrt(q);
  double root_low = (fma_(-root, root, q) + (q_low + p_low)) / (2.0 * root);
  auto [u, u_low] = two_sum(root, t);
  // Halved where 2|x| could overflow; ln2 is added below.
  double y = log_of_sum(large ? a : u, large ? 0.0 : u_low + root_low);
  y += large ? 0x1.62e42fefa39efp-1 : 0.0;
  y = a < 0x1p-27 ? a : y;
  y = a < infinity ? y : a;
  return copysign(y, x);
}

/// log(x + sqrt(x^2 - 1)).
TESSERA_MATH double acosh(double x) {
  bool large = x > 0x1p28;
  double t = large ? 2.0 : x;
  auto [p, p_low] = two_product(t, t);
  auto [q, q_low] = fast_two_sum(p, -1.0);
  q_low += p_low;
  auto [square, square_low] = fast_two_sum(q, q_low);
  double root = sqrt(square);
  double root_low = (fma_(-root, root, square) + square_low) / (2.0 * root);
  root_low = root > 0.0 ? root_low : 0.0;
  auto [u, u_low] = fast_two_sum(t, root);
  double y = log_of_sum(large ? x : u, large ? 0.0 : u_low + root_low);
  y += large ? 0x1.62e42fefa39efp-1 : 0.0;
  y = x < infinity ? y : x;
  return x < 1.0 ? quiet_nan : y;
}

/// log((1 + x) / (1 - x)) / 2: with the ratio near 2^k, s = (1 + x - 2^k (1 - x)) / (1 + x + 2^k (1 - x)) is log's s.
TESSERA_MATH double atanh(double x) {
  double a = fabs(x);
  auto [up, up_low] = fast_two_sum(1.0, a);
  auto [down, down_low] = fast_two_sum(1.0, -a);
  // The bits of a double approximate its logarithm: k is the ratio's logarithm within 0.59.
  int64_t exponent = static_cast<int64_t>(bits(up) - bits(down) + (uint64_t{1} << 51)) >> 52;
  double k = integer_to_double(exponent), t = power_of_two(exponent);
  auto [n, n_rest] = two_sum(up, -t * down);
  auto [d, d_rest] = two_sum(up, t * down);
  double n_low = n_rest + fma_(-t, down_low, up_low), d_low = d_rest + fma_(t, down_low, up_low);
  double inverse = 1.0 / d;
  double s = n * inverse;
  double s_low = (fma_(-s, d, n) + n_low - s * d_low) * inverse;
  double z = s * s;
  double r = polynomial(z, 0x1.5555555555555p-1, 0x1.999999999a06p-2, 0x1.24924923c1583p-2, 0x1.c71c73010a16bp-3,
                        0x1.745ca2ae78134p-3, 0x1.3b2b3b0167761p-3, 0x1.0e7198e1051p-3, 0x1.1762d5c2cf508p-3);
  auto [h, h_low] = fast_two_sum(k * ln2_high, 2.0 * s);
  double y = 0.5 * (h + (h_low + fma_(s * z, r, fma_(k, ln2_low, 2.0 * s_low))));
  y = a < 0x1p-27 ? a : y;
  y = a == 1.0 ? infinity : y;
  return a > 1.0 ? quiet_nan : copysign(y, x);
}

TESSERA_MATH float asinh(float x) {
  double a = fabs(x);
  double y = float_log(a + sqrt(fma_(a, a, 1.0)));
  y = a < 0x1p-11 ? fma_(a * a * a, -1.0 / 6.0, a) : y;
  return copysign(fabs(x) < infinity_f ? static_cast<float>(y) : fabs(x), x);
}
TESSERA_MATH float acosh(float x) {
  double a = x;
  float y = static_cast<float>(float_log(a + sqrt(fma_(a, a, -1.0))));
  y = x < infinity_f ? y : x;
  y = x == 1.0f ? 0.0f : y;
  return x < 1.0f ? quiet_nan_f : y;
}
TESSERA_MATH float atanh(float x) {
  double a = fabs(x);
  double y = 0.5 * float_log((1.0 + a) / (1.0 - a));
  y = a < 0x1p-11 ? fma_(a * a * a, 1.0 / 3.0, a) : y;
  float r = fabs(x) == 1.0f ? infinity_f : static_cast<float>(y);
  return fabs(x) <= 1.0f ? copysign(r, x) : quiet_nan_f;
}

}  // namespace tessera::math
