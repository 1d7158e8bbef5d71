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
  uint32_t* k = state_->key.data();
  for (int i = 0; i < n - m; ++i) k[i] = k[i + m] ^ twist(k[i], k[i + 1]);
  for (int i = n - m; i < n - 1; ++i) k[i] = k[i + m - n] ^ twist(k[i], k[i + 1]);
  k[n - 1] = k[m - 1] ^ twist(k[n - 1], k[0]);
  state_->position = 0;
}

void Mt19937::fill_untempered(std::span<uint32_t> out) {
  State& s = *state_;
  for (size_t done = 0; done < out.size();) {
    if (s.position >= size) refill();
    const size_t count = std::min(out.size() - done, static_cast<size_t>(size - s.position));
    std::copy_n(s.key.begin() + s.position, count, out.begin() + static_cast<std::ptrdiff_t>(done));
    s.position += static_cast<int>(count);
    done += count;
  }
}

void Mt19937::walk(int64_t words) {
  State& s = *state_;
  while (words > size - s.position) {
    words -= size - s.position;
    refill();
  }
  s.position += static_cast<int>(words);
}

void Mt19937::set_key(std::span<const uint32_t> words) {
  invariant(words.size() == n, "mt19937: {} seed words", words.size());
  std::copy(words.begin(), words.end(), state_->key.begin());
  state_->key[0] = 0x80000000u;  // only the top bit is used; the state is never all zero
  state_->position = n - 1;
}

void Mt19937::seed(uint32_t number) {
  for (int i = 0; i < n; ++i) {
    state_->key[static_cast<size_t>(i)] = number;
    number = 1812433253u * (number ^ (number >> 30)) + static_cast<uint32_t>(i) + 1;
  }
  state_->position = n;
}

void Mt19937::seed(std::span<const uint32_t> numbers) {
  seed(19650218u);
  const auto mix = [this](size_t i, uint32_t factor) {
    return state_->key[i] ^ ((state_->key[i - 1] ^ (state_->key[i - 1] >> 30)) * factor);
  };
  size_t i = 1, j = 0;
  const auto wrap = [&] {
    if (++i < n) return;
    state_->key[0] = state_->key[n - 1];
    i = 1;
  };
  for (size_t k = std::max<size_t>(n, numbers.size()); k; --k) {
    state_->key[i] = mix(i, 1664525u) + numbers[j] + static_cast<uint32_t>(j);
    j = j + 1 < numbers.size() ? j + 1 : 0;
    wrap();
  }
  for (int k = n - 1; k; --k) {
    state_->key[i] = mix(i, 1566083941u) - static_cast<uint32_t>(i);
    wrap();
  }
  state_->key[0] = 0x80000000u;
  state_->position = n;
}

std::vector<uint64_t> Mt19937::state() const {
  std::vector<uint64_t> words(state_->key.begin(), state_->key.end());
  words.push_back(static_cast<uint64_t>(state_->position));
  return words;
}

void Mt19937::set_state(std::span<const uint64_t> words) {
  require<ValueError>(words.size() == n + 1, "random state: {} words but {} are needed", words.size(), n + 1);
  require<ValueError>(words[n] <= n, "random state: position {} is beyond {}", words[n], n);
  for (size_t i = 0; i < n; ++i) state_->key[i] = static_cast<uint32_t>(words[i]);
  state_->position = static_cast<int>(words[n]);
}

}  // namespace tessera::library
