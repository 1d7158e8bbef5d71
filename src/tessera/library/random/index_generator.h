/// IndexGenerator: random numbers that are functions of a seed and a global index, the same however the index range is cut.
#pragma once

#include <span>

#include "tessera/library/random/bit_generator.h"

namespace tessera::library {

/// Number i comes from Philox block i / 4 (or i / 2) under the seed's key, so any part of a stream can be made anywhere.
class IndexGenerator {
 public:
  explicit IndexGenerator(uint64_t seed, uint64_t stream = 0) : key_{seed, stream} {}

  /// out[i] = number first + i, uniform in [0, 1).
  void fill_uniform(uint64_t first, std::span<double> out) const;
  void fill_uniform(uint64_t first, std::span<float> out) const;
  /// Standard normal by Box and Muller, two to a block half.
  void fill_normal(uint64_t first, std::span<double> out) const;
  void fill_normal(uint64_t first, std::span<float> out) const;
  /// low + [0, range), by the high half of a 128-bit product; range 0 stands for all of 2^64.
  void fill_integers(uint64_t first, int64_t low, uint64_t range, std::span<int64_t> out) const;

 private:
  Philox::Key key_;
};

}  // namespace tessera::library
