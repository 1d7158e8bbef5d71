#include "tessera/library/random/index_generator.h"

#include <cmath>
#include <numbers>

#include "tessera/runtime/host/threads.h"

namespace tessera::library {

namespace {

constexpr int64_t grain = int64_t{1} << 14;

/// Calls put(i, word) for every index of the range; word i is output i % 4 of block i / 4.
template <class T, class Convert>
void fill_words(Philox::Key key, uint64_t first, std::span<T> out, Convert&& convert) {
  auto piece = [&](int64_t begin, int64_t end) {
    Philox::Counter block{};
    uint64_t held = ~uint64_t{0};
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t index = first + static_cast<uint64_t>(i);
      if (index / 4 != held) {
        held = index / 4;
        block = Philox::block({held, 0, 0, 0}, key);
      }
      out[static_cast<size_t>(i)] = convert(block[index % 4]);
    }
  };
  runtime::parallel_for(static_cast<int64_t>(out.size()), grain, piece);
}

/// Normal number i is the cosine (even i) or sine (odd i) part of the pair made of words i and i + 1 of its block.
template <class T>
void fill_pairs(Philox::Key key, uint64_t first, std::span<T> out) {
  auto piece = [&](int64_t begin, int64_t end) {
    uint64_t held = ~uint64_t{0};
    Philox::Counter block{};
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t index = first + static_cast<uint64_t>(i);
      if (index / 4 != held) {
        held = index / 4;
        block = Philox::block({held, 1, 0, 0}, key);
      }
      const size_t pair = index % 4 / 2 * 2;
      const double radius = std::sqrt(-2.0 * std::log1p(-BitGenerator::to_double(block[pair])));
      const double angle = 2 * std::numbers::pi * BitGenerator::to_double(block[pair + 1]);
      out[static_cast<size_t>(i)] = static_cast<T>(radius * (index % 2 ? std::sin(angle) : std::cos(angle)));
    }
  };
  runtime::parallel_for(static_cast<int64_t>(out.size()), grain, piece);
}

}  // namespace

void IndexGenerator::fill_uniform(uint64_t first, std::span<double> out) const {
  fill_words(key_, first, out, BitGenerator::to_double);
}

void IndexGenerator::fill_uniform(uint64_t first, std::span<float> out) const {
  fill_words(key_, first, out, [](uint64_t word) { return BitGenerator::to_float(static_cast<uint32_t>(word >> 32)); });
}

void IndexGenerator::fill_normal(uint64_t first, std::span<double> out) const { fill_pairs(key_, first, out); }
void IndexGenerator::fill_normal(uint64_t first, std::span<float> out) const { fill_pairs(key_, first, out); }

void IndexGenerator::fill_integers(uint64_t first, int64_t low, uint64_t range, std::span<int64_t> out) const {
  fill_words(key_, first, out, [=](uint64_t word) {
    const uint64_t offset = range ? static_cast<uint64_t>(static_cast<uint128>(word) * range >> 64) : word;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
  });
}

}  // namespace tessera::library
