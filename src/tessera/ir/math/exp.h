/// exp, exp2, expm1: x = k ln2 + r with |r| <= ln2 / 2, a polynomial in r, and a product with 2^k.
///
/// The reduction in two steps is Cody and Waite's ("Software Manual for the Elementary Functions", 1980); coefficients
/// are minimax fits of (e^r - 1 - r) / r^2 and (2^r - 1 - r ln2) / r^2 (Remez exchange in 200 bits, then rounded).
#pragma once

#include "tessera/ir/math/double_double.h"
#include "tessera/ir/math/polynomial.h"
#include "tessera/ir/math/power_of_two.h"

namespace tessera::math {

inline constexpr double log2_of_e = 0x1.71547652b82fep+0;
inline constexpr float log2_of_e_f = 0x1.715476p+0f;
/// ln2 split into a part with trailing zeros, so that products with an exponent are exact, and the remainder.
inline constexpr double ln2_high = 0x1.62e42fefa3800p-1;
inline constexpr double ln2_low = 0x1.ef35793c76730p-45;
inline constexpr float ln2_high_f = 0x1.62e4p-1f;
inline constexpr float ln2_low_f = 0x1.7f7d1cp-20f;

TESSERA_MATH double exp(double x) {
  double clamped = x < -746.0 ? -746.0 : x;
  clamped = clamped > 710.0 ? 710.0 : clamped;
  double shifted = fma_(clamped, log2_of_e, round_shift);
  double k = shifted - round_shift;
  double r = fma_(k, -ln2_low, fma_(k, -ln2_high, clamped));
  double q = polynomial(r, 0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.5555555550861p-5, 0x1.1111111127c64p-7,
                        0x1.6c16c184309cdp-10, 0x1.a01a012a38fd9p-13, 0x1.a01999f99bdcap-16, 0x1.71df257a5c5fbp-19,
                        0x1.28ad850352828p-22, 0x1.ad7f5d7ad1b01p-26);
  double sum = 1.0 + r;
  return scale(sum + fma_(r * r, q, r - (sum - 1.0)), shifted_integer(shifted));
}

TESSERA_MATH float exp(float x) {
  float clamped = x < -104.0f ? -104.0f : x;
  clamped = clamped > 89.0f ? 89.0f : clamped;
  float shifted = fma_(clamped, log2_of_e_f, round_shift_f);
  float k = shifted - round_shift_f;
  float r = fma_(k, -ln2_low_f, fma_(k, -ln2_high_f, clamped));
  float q = horner(r, 0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.1239fep-7f, 0x1.6a24p-10f);
  float sum = 1.0f + r;
  return scale(sum + fma_(r * r, q, r - (sum - 1.0f)), shifted_integer(shifted));
}

/// 2^r - 1 for |r| <= 1/2.
TESSERA_MATH double exp2_minus_one(double r) {
  double q = polynomial(r, 0x1.ebfbdff82c5a1p-3, 0x1.c6b08d704a044p-5, 0x1.3b2ab6fba0701p-7, 0x1.5d87fe78c3af1p-10,
                        0x1.4309130de614dp-13, 0x1.ffcbfbc6ecdd4p-17, 0x1.62bfc99b79f1bp-20, 0x1.b52653f255d3fp-24,
                        0x1.e6185c0f6a07fp-28, 0x1.e7c65a10f3dbep-32);
  return fma_(r, 0x1.62e42fefa39efp-1, fma_(r * r, q, r * 0x1.abc9e3b39803fp-56));
}
TESSERA_MATH float exp2_minus_one(float r) {
  float q = horner(r, 0x1.ebfbdcp-3f, 0x1.c6af88p-5f, 0x1.3b2e1p-7f, 0x1.5f049cp-10f, 0x1.414deep-13f);
  return fma_(r, 0x1.62e43p-1f, fma_(r * r, q, r * -0x1.05c61p-29f));
}

TESSERA_MATH double exp2(double x) {
  double clamped = x < -1077.0 ? -1077.0 : x;
  clamped = clamped > 1025.0 ? 1025.0 : clamped;
  double shifted = clamped + round_shift;
  double r = clamped - (shifted - round_shift);
  return scale(1.0 + exp2_minus_one(r), shifted_integer(shifted));
}

TESSERA_MATH float exp2(float x) {
  float clamped = x < -151.0f ? -151.0f : x;
  clamped = clamped > 129.0f ? 129.0f : clamped;
  float shifted = clamped + round_shift_f;
  float r = clamped - (shifted - round_shift_f);
  return scale(1.0f + exp2_minus_one(r), shifted_integer(shifted));
}

/// e^x - 1 as 2^k (1 + r + q) - 1, keeping the rounding error of the leading sum; x may be clamped to [-40, 710].
TESSERA_MATH DoubleDouble expm1_parts(double x) {
  double clamped = x < -40.0 ? -40.0 : x;
  clamped = clamped > 710.0 ? 710.0 : clamped;
  double shifted = fma_(clamped, log2_of_e, round_shift);
  double k = shifted - round_shift;
  double head = fma_(k, -ln2_high, clamped);
  double r = fma_(k, -ln2_low, head);
  double r_low = fma_(k, -ln2_low, head - r);
  double q = polynomial(r, 0x1.5555555555559p-3, 0x1.555555555555ap-5, 0x1.111111110f6a5p-7, 0x1.6c16c16c14469p-10,
                        0x1.a01a01afe9846p-13, 0x1.a01a01b0af7ebp-16, 0x1.71ddf84775572p-19, 0x1.27e4c5b086541p-22,
                        0x1.af5ed61743d08p-26, 0x1.1f954be1df190p-29);
  double half_square = 0.5 * r * r;
  double half_square_low = fma_(0.5 * r, r, -half_square);
  q = half_square + fma_(r * half_square, 2.0 * q, half_square_low + r_low);
  // Everything is halved, so that k = 1024 stays finite; exact, as tiny arguments are handled below.
  double s = power_of_two(shifted_integer(shifted) - 1);
  double base = s - 0.5;
  double base_low = (s - base) - 0.5;
  double sum = fma_(s, r, base);
  double sum_low = fma_(s, r, base - sum) + base_low;
  return fast_two_sum(2.0 * sum, 2.0 * fma_(s, q, sum_low));
}

TESSERA_MATH double expm1(double x) { return fabs(x) < 0x1p-54 ? x : expm1_parts(x).high; }

TESSERA_MATH float expm1(float x) {
  float clamped = x < -20.0f ? -20.0f : x;
  clamped = clamped > 89.0f ? 89.0f : clamped;
  float shifted = fma_(clamped, log2_of_e_f, round_shift_f);
  float k = shifted - round_shift_f;
  float head = fma_(k, -ln2_high_f, clamped);
  float r = fma_(k, -ln2_low_f, head);
  float r_low = fma_(k, -ln2_low_f, head - r);
  float q = horner(r, 0.5f, 0x1.555556p-3f, 0x1.5554aep-5f, 0x1.11108ep-7f, 0x1.6d74aap-10f, 0x1.a1a27ap-13f);
  q = fma_(r * r, q, r_low);
  float s = power_of_two_f(shifted_integer(shifted) - 1);
  float base = s - 0.5f;
  float base_low = (s - base) - 0.5f;
  float sum = fma_(s, r, base);
  float sum_low = fma_(s, r, base - sum) + base_low;
  float y = 2.0f * (sum + fma_(s, q, sum_low));
  return fabs(x) < 0x1p-25f ? x : y;
}

}  // namespace tessera::math
