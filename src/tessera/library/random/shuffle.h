/// Orders drawn at random: shuffles in place, samples without replacement.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/library/random/bit_generator.h"

namespace tessera::library {

/// Fisher-Yates from the end down to element `first`, over count elements of itemsize bytes lying stride bytes apart.
void shuffle(BitGenerator& bits, char* data, int64_t count, int64_t itemsize, int64_t stride, int64_t first = 1);
/// The swaps of such a shuffle: order[k] is where the element that ends at k came from.
void shuffled_order(BitGenerator& bits, std::span<int64_t> order);
/// out.size() distinct numbers of [0, population), as Generator.choice draws them; in random order when `shuffled`.
void choose_distinct(BitGenerator& bits, int64_t population, std::span<int64_t> out, bool shuffled);

}  // namespace tessera::library
