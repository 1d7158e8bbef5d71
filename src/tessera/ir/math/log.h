/// log, log2, log10, log1p: x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), then an odd series in s = f / (2 + f).
///
/// log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + s^2 R(s^2)): the form of W. Kahan and K. C. Ng that keeps the
/// leading terms exact. R is a minimax fit (Remez exchange in 200 bits, then rounded).
#pragma once

#include "tessera/ir/math/exp.h"

namespace tessera::math {

/// x = 2^k (1 + f) for positive finite x.
struct LogReduction {
  double k, f;
};

/// `normal`: x is known not to be subnormal, which removes that case.
template <bool normal = false>
TESSERA_MATH LogReduction reduce_for_log(double x) {
  bool subnormal = !normal && x < 0x1p-1022;
  uint64_t b = bits(subnormal ? x * 0x1p54 : x) - bits(0x1.6a09e667f3bcdp-1);
  int64_t k = static_cast<int64_t>(b) >> 52;
  double m = from_bits((b & 0x000fffffffffffff) + bits(0x1.6a09e667f3bcdp-1));
  return {integer_to_double(k) - (subnormal ? 54.0 : 0.0), m - 1.0};
}

/// log(1 + f) - f + f^2/2 for 1 + f in [sqrt(1/2), sqrt(2)).
TESSERA_MATH double log_tail(double f, double half_square) {
  double s = moderate_quotient(f, 2.0 + f);
  double z = s * s;
  double r = polynomial(z, 0x1.5555555555592p-1, 0x1.999999997fd77p-2, 0x1.24924941f4fbap-2, 0x1.c71c52060743dp-3,
                        0x1.74663fa2644b4p-3, 0x1.39a1a6eebb687p-3, 0x1.2f0634ee9da2ep-3);
  return s * fma_(z, r, half_square);
}

/// The results of log outside the positive finite numbers.
TESSERA_MATH double log_special(double x, double y) {
  y = x < infinity ? y : x;  // +inf and NaN
  y = x == 0.0 ? -infinity : y;
  return x < 0.0 ? quiet_nan : y;
}

TESSERA_MATH double log(double x) {
  auto [k, f] = reduce_for_log(x);
  double half_square = 0.5 * f * f;
  double tail = fma_(k, ln2_low, log_tail(f, half_square));
  return log_special(x, fma_(k, ln2_high, f - (half_square - tail)));
}

/// log(1 + f) = high + low; low contains the rounding error of high, which is a full double.
struct LogSum {
  double high, low;
};

TESSERA_MATH LogSum log_sum(double f) {
  double half_square = 0.5 * f * f;
  double high = f - half_square;
  double low = ((f - high) - half_square) + (log_tail(f, half_square) + fma_(-0.5 * f, f, half_square));
  return {high, low};
}

/// k scale + log(1 + f) / log(base), with the constants in two parts.
TESSERA_MATH double log_in_base(double x, double inverse_high, double inverse_low, double scale_high,
                                double scale_low) {
  auto [k, f] = reduce_for_log(x);
  auto [high, low] = log_sum(f);
  double product = high * inverse_high;
  double rest = fma_(high, inverse_high, -product) + fma_(low, inverse_high, high * inverse_low);
  double whole = k * scale_high;  // exact
  double sum = whole + product;
  rest += (whole - sum) + product;
  return log_special(x, sum + fma_(k, scale_low, rest));
}

TESSERA_MATH double log2(double x) { return log_in_base(x, log2_of_e, 0x1.777d0ffda0d24p-56, 1.0, 0.0); }
TESSERA_MATH double log10(double x) {
  return log_in_base(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.34413509f7800p-2, 0x1.fef311f12b358p-46);
}

/// log(u + low) for normal u, |low| below a unit in the last place of u: exact enough near 1 for log1p.
TESSERA_MATH double log_of_sum(double u, double low) {
  auto [k, f] = reduce_for_log(u);
  low *= 0.5 * power_of_two(1 - shifted_integer(k + round_shift));  // k may be 1024
  double half_square = 0.5 * f * f;
  double s = moderate_quotient(f, 2.0 + f);
  double carried = fma_(-f * low, 1.0 - s, low);  // low / (1 + f), nearly
  double tail = fma_(k, ln2_low, log_tail(f, half_square)) + carried;
  return fma_(k, ln2_high, f - (half_square - tail));
}

TESSERA_MATH double log1p(double x) {
  double u = 1.0 + x;
  double low = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);  // rounding error of u
  double y = log_of_sum(u, low);
  y = fabs(x) < 0x1p-54 ? x : y;
  y = x < infinity ? y : x;
  y = x == -1.0 ? -infinity : y;
  return x < -1.0 ? quiet_nan : y;
}

/// x = 2^k (1 + f) with 1 + f in [2/3, 4/3), for positive finite x.
struct LogReductionF {
  float k, f;
};

TESSERA_MATH LogReductionF reduce_for_log(float x) {
  bool subnormal = x < 0x1p-126f;
  uint32_t b = bits(subnormal ? x * 0x1p23f : x) - bits(0x1.555556p-1f);
  int32_t k = static_cast<int32_t>(b) >> 23;
  float m = from_bits((b & 0x007fffff) + bits(0x1.555556p-1f));
  return {integer_to_float(k) - (subnormal ? 23.0f : 0.0f), m - 1.0f};
}

TESSERA_MATH float log_special(float x, float y) {
  y = x < infinity_f ? y : x;
  y = x == 0.0f ? -infinity_f : y;
  return x < 0.0f ? quiet_nan_f : y;
}

TESSERA_MATH float log(float x) {
  auto [k, f] = reduce_for_log(x);
  float p = polynomial(f, 0x1.55550cp-2f, -0x1.fffe5ep-3f, 0x1.99ce42p-3f, -0x1.55b7e6p-3f, 0x1.1ef19ap-3f,
                       -0x1.f03c2ep-4f, 0x1.1df35p-3f, -0x1.0e2a9p-3f);
  float z = f * f;
  float tail = fma_(z * f, p, k * ln2_low_f);
  return log_special(x, fma_(k, ln2_high_f, f + fma_(z, -0.5f, tail)));
}

/// A positive double as 2^k (1 + f) with 1 + f in [2/3, 4/3): the other float functions compute in double with few
/// terms.
TESSERA_MATH LogReduction reduce_for_float_log(double x) {
  uint64_t b = bits(x) - bits(0x1.5555555555555p-1);
  double m = from_bits((b & 0x000fffffffffffff) + bits(0x1.5555555555555p-1));
  return {integer_to_double(static_cast<int64_t>(b) >> 52), m - 1.0};
}

/// log(1 + f) to 2^-30.
TESSERA_MATH double float_log_tail(double f) {
  return f * polynomial(f, 0x1.fffffffe45d35p-1, -0x1.000000aebe9b9p-1, 0x1.55555cabfdd27p-2, -0x1.fffe1a3b4d933p-3,
                        0x1.99946d264da6fp-3, -0x1.55b353ae8de32p-3, 0x1.253f66104d837p-3, -0x1.f152071950a6dp-4,
                        0x1.b29b5b0868fdcp-4, -0x1.0b2f8a9ef0627p-3, 0x1.0056880d55119p-3);
}

/// log x to 2^-30, for positive finite x.
TESSERA_MATH double float_log(double x) {
  auto [k, f] = reduce_for_float_log(x);
  return fma_(k, 0x1.62e42fefa39efp-1, float_log_tail(f));
}

TESSERA_MATH float log2(float x) {
  auto [k, f] = reduce_for_float_log(x);
  return log_special(x, static_cast<float>(fma_(float_log_tail(f), log2_of_e, k)));
}
TESSERA_MATH float log10(float x) { return log_special(x, static_cast<float>(float_log(x) * 0x1.bcb7b1526e50ep-2)); }
TESSERA_MATH float log1p(float x) {
  double u = 1.0 + static_cast<double>(x);  // exact where it matters: below, x itself is nearest
  float y = log_special(static_cast<float>(u), static_cast<float>(float_log(u)));
  return fabs(x) < 0x1p-25f ? x : y;
}

}  // namespace tessera::math
