#include <bit>
#include <cmath>

#include "tessera/layout/dtype.h"

namespace tessera {

namespace {

/// Rounds a magnitude given as (significand, shift) to nearest even: significand / 2^shift.
uint64_t round_shift(uint64_t significand, int shift) {
  if (shift > 63) return 0;
  uint64_t half = uint64_t{1} << (shift - 1);
  uint64_t rest = significand & ((half << 1) - 1);
  uint64_t quotient = significand >> shift;
  return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/// exponent is unbiased, significand carries its hidden bit at position `bits`.
uint16_t pack_half(uint16_t sign, int exponent, uint64_t significand, int bits) {
  if (exponent > 15) return sign | 0x7C00;
  if (exponent >= -14) {
    uint64_t rounded = round_shift(significand, bits - 10);  // a carry moves into the exponent by itself
    return static_cast<uint16_t>(sign | (((exponent + 14) << 10) + rounded));
  }
  return static_cast<uint16_t>(sign | round_shift(significand, bits - 10 + (-14 - exponent)));
}

}  // namespace

float half_to_float(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31;
  uint32_t fraction = bits & 0x3FF;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000 | (fraction << 13));
  if (exponent) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

uint16_t float_to_half(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  int exponent = (bits >> 23) & 255;
  uint32_t fraction = bits & 0x7FFFFF;
  if (exponent == 255) {
    if (!fraction) return sign | 0x7C00;
    uint16_t payload = fraction >> 13;
    return sign | 0x7C00 | (payload ? payload : 1);
  }
  if (!exponent) return sign;  // far below half of the smallest half
  return pack_half(sign, exponent - 127, fraction | 0x800000, 23);
}

uint16_t double_to_half(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint16_t sign = (bits >> 48) & 0x8000;
  int exponent = (bits >> 52) & 2047;
  uint64_t fraction = bits & 0xFFFFFFFFFFFFF;
  if (exponent == 2047) {
    if (!fraction) return sign | 0x7C00;
    uint16_t payload = static_cast<uint16_t>(fraction >> 42);
    return sign | 0x7C00 | (payload ? payload : 1);
  }
  if (!exponent) return sign;
  return pack_half(sign, exponent - 1023, fraction | 0x10000000000000, 52);
}

float bfloat16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t float_to_bfloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) & 0x8000) | 0x7FC0;
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

}  // namespace tessera
