/// Standard normal and exponential draws by the ziggurat method, over any source of bits.
#pragma once

#include <bit>
#include <cmath>

#include "tessera/library/random/bit_generator.h"
#include "tessera/library/random/ziggurat_tables.h"

namespace tessera::library {

/// The abscissa for a word, and whether it is accepted without evaluating the density, as for 99 of 100 words.
/// Branch-free: a random sign cannot be predicted.
inline bool glance_normal(uint64_t word, const Ziggurat<double, uint64_t>& t, double& x) {
  const size_t strip = word & 0xff;
  const uint64_t magnitude = (word >> 9) & 0x000fffffffffffffull;
  const double size = static_cast<double>(static_cast<int64_t>(magnitude)) * t.width[strip];
  x = std::bit_cast<double>(std::bit_cast<uint64_t>(size) ^ (word >> 8 << 63));
  return magnitude < t.inside[strip];
}

inline bool glance_normal(uint32_t word, const Ziggurat<float, uint32_t>& t, float& x) {
  const size_t strip = word & 0xff;
  const uint32_t magnitude = word >> 9;
  const float size = static_cast<float>(static_cast<int32_t>(magnitude)) * t.width[strip];
  x = std::bit_cast<float>(std::bit_cast<uint32_t>(size) ^ (word >> 8 << 31));
  return magnitude < t.inside[strip];
}

inline bool glance_exponential(uint64_t word, const Ziggurat<double, uint64_t>& t, double& x) {
  const size_t strip = word >> 3 & 0xff;
  const uint64_t magnitude = word >> 11;
  x = static_cast<double>(static_cast<int64_t>(magnitude)) * t.width[strip];
  return magnitude < t.inside[strip];
}

inline bool glance_exponential(uint32_t word, const Ziggurat<float, uint32_t>& t, float& x) {
  const size_t strip = word >> 1 & 0xff;
  const uint32_t magnitude = word >> 9;
  x = static_cast<float>(static_cast<int32_t>(magnitude)) * t.width[strip];
  return magnitude < t.inside[strip];
}

/// How far a normal of the tail lies beyond its begin, where the pair that begins with this uniform number is taken.
template <class Real>
Real normal_beyond(Real u) {
  return -static_cast<Real>(normal_tail_inverse) * std::log1p(-u);
}
template <class Real>
Real normal_of_tail(Real beyond, bool is_negative) {
  const Real x = static_cast<Real>(normal_tail) + beyond;
  return is_negative ? -x : x;
}
template <class Real>
Real exponential_of_tail(Real u) {
  return static_cast<Real>(exponential_tail) - std::log1p(-u);
}

/// One attempt of a draw, which begins with a word and yields the number x or nothing.
template <class Bits>
bool attempt_normal(Bits& bits, const Ziggurat<double, uint64_t>& t, double& x) {
  const uint64_t word = bits.next64();
  if (glance_normal(word, t, x)) [[likely]]
    return true;
  const size_t strip = word & 0xff;
  if (strip == 0) {
    for (;;) {
      const double a = normal_beyond(bits.next_double());
      const double b = -std::log1p(-bits.next_double());
      if (b + b > a * a) {
        x = normal_of_tail(a, (word >> 17) & 1);
        return true;
      }
    }
  }
  const double y = (t.height[strip - 1] - t.height[strip]) * bits.next_double() + t.height[strip];
  return y < std::exp(-0.5 * x * x);
}

template <class Bits>
bool attempt_normal(Bits& bits, const Ziggurat<float, uint32_t>& t, float& x) {
  const auto next = [&] { return BitGenerator::to_float(bits.next32()); };
  const uint32_t word = bits.next32();
  if (glance_normal(word, t, x)) [[likely]]
    return true;
  const size_t strip = word & 0xff;
  if (strip == 0) {
    for (;;) {
      const float a = normal_beyond(next());
      const float b = -std::log1p(-next());
      if (b + b > a * a) {
        x = normal_of_tail(a, (word >> 17) & 1);
        return true;
      }
    }
  }
  const float y = (t.height[strip - 1] - t.height[strip]) * next() + t.height[strip];
  return static_cast<double>(y) < std::exp(-0.5 * x * x);
}

template <class Bits>
bool attempt_exponential(Bits& bits, const Ziggurat<double, uint64_t>& t, double& x) {
  const uint64_t word = bits.next64();
  if (glance_exponential(word, t, x)) [[likely]]
    return true;
  const size_t strip = word >> 3 & 0xff;
  if (strip == 0) {
    x = exponential_of_tail(bits.next_double());
    return true;
  }
  const double y = (t.height[strip - 1] - t.height[strip]) * bits.next_double() + t.height[strip];
  return y < std::exp(-x);
}

template <class Bits>
bool attempt_exponential(Bits& bits, const Ziggurat<float, uint32_t>& t, float& x) {
  const auto next = [&] { return BitGenerator::to_float(bits.next32()); };
  const uint32_t word = bits.next32();
  if (glance_exponential(word, t, x)) [[likely]]
    return true;
  const size_t strip = word >> 1 & 0xff;
  if (strip == 0) {
    x = exponential_of_tail(next());
    return true;
  }
  const float y = (t.height[strip - 1] - t.height[strip]) * next() + t.height[strip];
  return y < std::exp(-x);
}

template <class Bits, class Real, class Word>
Real ziggurat_normal(Bits& bits, const Ziggurat<Real, Word>& t) {
  Real x;
  while (!attempt_normal(bits, t, x)) {
  }
  return x;
}

template <class Bits, class Real, class Word>
Real ziggurat_exponential(Bits& bits, const Ziggurat<Real, Word>& t) {
  Real x;
  while (!attempt_exponential(bits, t, x)) {
  }
  return x;
}

}  // namespace tessera::library
