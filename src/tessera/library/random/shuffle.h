/// Random orders: shuffles in place, samples without replacement.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/library/random/bit_generator.h"

namespace tessera::library {

/// Fisher-Yates from the last element down to element `first`; count elements of itemsize bytes, stride bytes apart.
void shuffle(BitGenerator& bits, char* data, int64_t count, int64_t itemsize, int64_t stride, int64_t first = 1);
/// The permutation of such a shuffle: order[k] is the original index of the element that ends at k.
void shuffled_order(BitGenerator& bits, std::span<int64_t> order);
/// out.size() distinct numbers in [0, population), as Generator.choice draws them; in random order if `shuffled`.
void choose_distinct(BitGenerator& bits, int64_t population, std::span<int64_t> out, bool shuffled);

}  // namespace tessera::library
