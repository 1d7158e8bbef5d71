/// Hash and SumHash: 64-bit hashes of structural keys.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tessera {

class Hash {
 public:
  Hash& add(uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ull;
    state_ ^= state_ >> 32;
    return *this;
  }
  Hash& add(std::string_view text) {
    for (char c : text) add(static_cast<uint8_t>(c));
    return add(text.size());
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x2545F4914F6CDD1Dull;
};

/// Hash as a sum of independent products: the multiplications overlap, whereas Hash has to finish each one before the
/// next. Both halves of every product are used, because the low halves alone are linear and changes of several words
/// could cancel.
class SumHash {
 public:
  SumHash() = default;
  /// Starts as if `words` words had already been added.
  explicit SumHash(uint64_t words) : factor_(first + words * step) {}
  void add(uint64_t word) {
    const unsigned __int128 product = static_cast<unsigned __int128>(word ^ factor_ >> 7) * factor_;
    sum_ += static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    factor_ += step;
  }
  void add(std::span<const int64_t> words) {
    for (int64_t word : words) add(static_cast<uint64_t>(word));
  }
  /// The raw sum, for adding to other sums.
  uint64_t sum() const { return sum_; }
  uint64_t value() const { return sum_ ^ sum_ >> 29; }

 private:
  static constexpr uint64_t first = 0x9E3779B97F4A7C15ull;
  static constexpr uint64_t step = 0xD1342543DE82EF96ull;  // even, so every factor stays odd
  uint64_t sum_ = 0;
  uint64_t factor_ = first;
};

}  // namespace tessera
