/// Standard normal and exponential draws by the ziggurat method, over any source of bits.
#pragma once

#include <cmath>

#include "tessera/library/random/bit_generator.h"
#include "tessera/library/random/ziggurat_tables.h"

namespace tessera::library {

template <class Bits>
double ziggurat_normal(Bits& bits, const Ziggurat<double, uint64_t>& t) {
  for (;;) {
    const uint64_t word = bits.next64();
    const size_t strip = word & 0xff;
    const bool negative = (word >> 8) & 1;
    const uint64_t magnitude = (word >> 9) & 0x000fffffffffffffull;
    double x = static_cast<double>(static_cast<int64_t>(magnitude)) * t.width[strip];
    if (negative) x = -x;
    if (magnitude < t.inside[strip]) [[likely]] return x;
    if (strip == 0) {
      for (;;) {
        const double a = -normal_tail_inverse * std::log1p(-bits.next_double());
        const double b = -std::log1p(-bits.next_double());
        if (b + b > a * a) return (magnitude >> 8) & 1 ? -(normal_tail + a) : normal_tail + a;
      }
    }
    const double y = (t.height[strip - 1] - t.height[strip]) * bits.next_double() + t.height[strip];
    if (y < std::exp(-0.5 * x * x)) return x;
  }
}

template <class Bits>
float ziggurat_normal(Bits& bits, const Ziggurat<float, uint32_t>& t) {
  constexpr float tail = static_cast<float>(normal_tail), inverse = static_cast<float>(normal_tail_inverse);
  const auto next = [&] { return BitGenerator::to_float(bits.next32()); };
  for (;;) {
    const uint32_t word = bits.next32();
    const size_t strip = word & 0xff;
    const uint32_t magnitude = (word >> 9) & 0x007fffffu;
    float x = static_cast<float>(magnitude) * t.width[strip];
    if ((word >> 8) & 1) x = -x;
    if (magnitude < t.inside[strip]) [[likely]] return x;
    if (strip == 0) {
      for (;;) {
        const float a = -inverse * std::log1p(-next());
        const float b = -std::log1p(-next());
        if (b + b > a * a) return (magnitude >> 8) & 1 ? -(tail + a) : tail + a;
      }
    }
    const float y = (t.height[strip - 1] - t.height[strip]) * next() + t.height[strip];
    if (static_cast<double>(y) < std::exp(-0.5 * x * x)) return x;
  }
}

template <class Bits>
double ziggurat_exponential(Bits& bits, const Ziggurat<double, uint64_t>& t) {
  for (;;) {
    uint64_t word = bits.next64() >> 3;
    const size_t strip = word & 0xff;
    word >>= 8;
    const double x = static_cast<double>(static_cast<int64_t>(word)) * t.width[strip];
    if (word < t.inside[strip]) [[likely]] return x;
    if (strip == 0) return exponential_tail - std::log1p(-bits.next_double());
    const double y = (t.height[strip - 1] - t.height[strip]) * bits.next_double() + t.height[strip];
    if (y < std::exp(-x)) return x;
  }
}

template <class Bits>
float ziggurat_exponential(Bits& bits, const Ziggurat<float, uint32_t>& t) {
  const auto next = [&] { return BitGenerator::to_float(bits.next32()); };
  for (;;) {
    uint32_t word = bits.next32() >> 1;
    const size_t strip = word & 0xff;
    word >>= 8;
    const float x = static_cast<float>(word) * t.width[strip];
    if (word < t.inside[strip]) [[likely]] return x;
    if (strip == 0) return static_cast<float>(exponential_tail) - std::log1p(-next());
    const float y = (t.height[strip - 1] - t.height[strip]) * next() + t.height[strip];
    if (y < std::exp(-x)) return x;
  }
}

}  // namespace tessera::library
