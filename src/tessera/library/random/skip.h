/// Moves of generators that can jump, as draws of so many numbers would leave them.
#pragma once

#include "tessera/library/random/block_stream.h"

namespace tessera::library {

/// As if so many halves of words had been drawn one by one.
template <class G>
void skip_halves(G& bits, int64_t halves) {
  if (halves > 0 && bits.halves().has) {
    bits.next32();
    --halves;
  }
  if (halves == 0) return;
  bits.skip((halves - 1) / 2);
  bits.next32();
  if (halves % 2 == 0) bits.next32();
}

/// As if so many units had been drawn; false for generators that cannot jump.
bool try_skip(BitGenerator& bits, Unit unit, int64_t units);
/// The same for the twister, too, which goes by way of all words: about a quarter of what drawing takes.
bool try_walk(BitGenerator& bits, Unit unit, int64_t units);

}  // namespace tessera::library
