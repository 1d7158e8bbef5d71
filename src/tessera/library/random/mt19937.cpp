#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/library/random/bit_generator.h"

namespace tessera::library {

namespace {

constexpr int n = Mt19937::size;
constexpr int m = 397;

uint32_t twist(uint32_t high, uint32_t low) {
  const uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0u);
}

}  // namespace

void Mt19937::refill() {
  uint32_t* k = key_.data();
  for (int i = 0; i < n - m; ++i) k[i] = k[i + m] ^ twist(k[i], k[i + 1]);
  for (int i = n - m; i < n - 1; ++i) k[i] = k[i + m - n] ^ twist(k[i], k[i + 1]);
  k[n - 1] = k[m - 1] ^ twist(k[n - 1], k[0]);
  position_ = 0;
}

void Mt19937::set_key(std::span<const uint32_t> words) {
  invariant(words.size() == n, "mt19937: {} seed words", words.size());
  std::copy(words.begin(), words.end(), key_.begin());
  key_[0] = 0x80000000u;  // the top bit alone counts; never all zero
  position_ = n - 1;
}

void Mt19937::seed(uint32_t number) {
  for (int i = 0; i < n; ++i) {
    key_[static_cast<size_t>(i)] = number;
    number = 1812433253u * (number ^ (number >> 30)) + static_cast<uint32_t>(i) + 1;
  }
  position_ = n;
}

void Mt19937::seed(std::span<const uint32_t> numbers) {
  seed(19650218u);
  const auto mix = [this](size_t i, uint32_t factor) { return key_[i] ^ ((key_[i - 1] ^ (key_[i - 1] >> 30)) * factor); };
  size_t i = 1, j = 0;
  const auto wrap = [&] {
    if (++i < n) return;
    key_[0] = key_[n - 1];
    i = 1;
  };
  for (size_t k = std::max<size_t>(n, numbers.size()); k; --k) {
    key_[i] = mix(i, 1664525u) + numbers[j] + static_cast<uint32_t>(j);
    j = j + 1 < numbers.size() ? j + 1 : 0;
    wrap();
  }
  for (int k = n - 1; k; --k) {
    key_[i] = mix(i, 1566083941u) - static_cast<uint32_t>(i);
    wrap();
  }
  key_[0] = 0x80000000u;
  position_ = n;
}

std::vector<uint64_t> Mt19937::state() const {
  std::vector<uint64_t> words(key_.begin(), key_.end());
  words.push_back(static_cast<uint64_t>(position_));
  return words;
}

void Mt19937::set_state(std::span<const uint64_t> words) {
  require<ValueError>(words.size() == n + 1, "random state: {} words but {} are needed", words.size(), n + 1);
  require<ValueError>(words[n] <= n, "random state: position {} is beyond {}", words[n], n);
  for (size_t i = 0; i < n; ++i) key_[i] = static_cast<uint32_t>(words[i]);
  position_ = static_cast<int>(words[n]);
}

}  // namespace tessera::library
