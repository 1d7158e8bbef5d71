/// Division and square root by additions, products and integer operations, rounded as in hardware: a device's assembler
/// takes 4 to 8 ms for its own division of doubles, which would delay a kernel's first results.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

inline constexpr uint64_t fraction_bits = (uint64_t{1} << 52) - 1, double_sign = uint64_t{1} << 63;

/// |x| = fraction * 2^(exponent - 1023) with fraction in [1, 2), for finite x other than 0.
struct TakenApart {
  double fraction;
  int64_t exponent;
};

TESSERA_MATH TakenApart take_apart(double x) {
  const bool is_subnormal = fabs(x) < 0x1p-1022;
  const uint64_t b = bits(is_subnormal ? x * 0x1p54 : x);
  return {from_bits((b & fraction_bits) | bits(1.0)), static_cast<int64_t>(b >> 52 & 0x7ff) - (is_subnormal ? 54 : 0)};
}

/// Rounds a significand, given in eighths of a unit in the last place and at least 2^52 units, to the precision that
/// numbers of this biased exponent have.
TESSERA_MATH uint64_t round_eighths(uint64_t eighths, int64_t exponent) {
  const bool is_normal = exponent >= 1;
  const int64_t needed = is_normal ? 3 : 4 - exponent, shift = needed < 60 ? needed : 60;
  const uint64_t rounded = (eighths + (uint64_t{1} << (shift - 1)) - 1 + (eighths >> shift & 1)) >> shift;
  const uint64_t whole = rounded + (is_normal ? static_cast<uint64_t>(exponent - 1) << 52 : 0);
  return whole < bits(infinity) ? whole : bits(infinity);
}

/// The quotient of the fractions is accurate to a unit in the last place; the exact remainder shows on which side of
/// it, and of the midpoint between two numbers, the exact quotient lies.
TESSERA_MATH double written_div(double a, double b) {
  const TakenApart x = take_apart(a), y = take_apart(b);
  double inverse = 1.4641016151377544 - 0.5 * y.fraction;  // relative error at most 7.2%
  for (int step = 0; step < 4; ++step) inverse = fma_(inverse, fma_(-y.fraction, inverse, 1.0), inverse);
  double quotient = x.fraction * inverse;
  quotient = fma_(fma_(-quotient, y.fraction, x.fraction), inverse, quotient);
  const double rest = fma_(-quotient, y.fraction, x.fraction);
  const bool is_below_one = quotient < 1.0;
  const double half_unit = y.fraction * (is_below_one ? 0x1p-54 : 0x1p-53);
  const uint64_t apart = fabs(rest) > half_unit ? 5 : 3, beside = rest == 0 ? 0 : apart;
  const uint64_t eighths = ((bits(quotient) & fraction_bits) | (uint64_t{1} << 52)) << 3;
  const uint64_t magnitude = round_eighths(rest < 0 ? eighths - beside : eighths + beside,
                                           x.exponent - y.exponent + (is_below_one ? 1022 : 1023));
  const double normal = from_bits(magnitude | ((bits(a) ^ bits(b)) & double_sign));
  // Without branches, which would take the assembler longer than they save.
  const uint64_t size_of_factor = b == 0 ? bits(infinity) : is_inf(b) ? 0 : bits(fabs(b));
  const double other = a * from_bits(size_of_factor | (bits(b) & double_sign));
  const bool is_usual = is_finite(a) & is_finite(b) & (a != 0) & (b != 0);
  return is_usual ? normal : other;
}

/// A double has more than 2 p + 2 bits, where p is those of a float, so rounding a second time changes nothing.
TESSERA_MATH float written_div(float a, float b) {
  return static_cast<float>(written_div(static_cast<double>(a), static_cast<double>(b)));
}

/// The square root of m in [1, 4), from an approximate reciprocal root; g^2 - m, which is exact, shows whether a
/// neighbour of g is nearer.
TESSERA_MATH double written_sqrt(double x) {
  const TakenApart parts = take_apart(x);
  const int64_t exponent = parts.exponent - 1023;
  const double m = exponent & 1 ? 2.0 * parts.fraction : parts.fraction;
  double inverse = from_bits(0x5fe6eb50c7b537a9 - (bits(m) >> 1));  // relative error at most 3.5%
  for (int step = 0; step < 4; ++step) inverse = fma_(0.5 * inverse, fma_(-(m * inverse), inverse, 1.0), inverse);
  double root = m * inverse;
  root = fma_(fma_(-root, root, m), 0.5 * inverse, root);
  const double rest = fma_(-root, root, m), unit = root * 0x1p-52;
  const uint64_t nearest = bits(root) + (rest > unit ? 1 : 0) - (rest <= -unit ? 1 : 0);
  const double normal = from_bits(nearest + (static_cast<uint64_t>(exponent >> 1) << 52));
  return x > 0 && is_finite(x) ? normal : x < 0 ? quiet_nan : x;
}

TESSERA_MATH float written_sqrt(float x) { return static_cast<float>(written_sqrt(static_cast<double>(x))); }

}  // namespace tessera::math
