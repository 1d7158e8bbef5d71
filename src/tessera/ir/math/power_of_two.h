/// Rounding to an integer by adding 1.5 2^52, and products with powers of two that round once.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

inline constexpr double round_shift = 0x1.8p52;
inline constexpr float round_shift_f = 0x1.8p23f;

/// x + round_shift has the integer nearest to x in its low bits.
TESSERA_MATH int64_t shifted_integer(double shifted) { return static_cast<int64_t>(bits(shifted) - bits(round_shift)); }
TESSERA_MATH int32_t shifted_integer(float shifted) {
  return static_cast<int32_t>(bits(shifted) - bits(round_shift_f));
}
/// The integer k as a double, |k| < 2^51, without the conversion instruction, which old vector units lack.
TESSERA_MATH double integer_to_double(int64_t k) {
  return from_bits(static_cast<uint64_t>(k) + bits(round_shift)) - round_shift;
}
TESSERA_MATH float integer_to_float(int32_t k) {
  return from_bits(static_cast<uint32_t>(k) + bits(round_shift_f)) - round_shift_f;
}

/// 2^k for k in [-1022, 1023], or [-126, 127].
TESSERA_MATH double power_of_two(int64_t k) { return from_bits((static_cast<uint64_t>(k) << 52) + bits(1.0)); }
TESSERA_MATH float power_of_two_f(int32_t k) { return from_bits((static_cast<uint32_t>(k) << 23) + bits(1.0f)); }

/// x 2^k in two products; rounds once when |x| is near 1 and |k| at most twice the range of power_of_two.
TESSERA_MATH double scale(double x, int64_t k) {
  int64_t half = k >> 1;
  return x * power_of_two(half) * power_of_two(k - half);
}
TESSERA_MATH float scale(float x, int32_t k) {
  int32_t half = k >> 1;
  return x * power_of_two_f(half) * power_of_two_f(k - half);
}

}  // namespace tessera::math
