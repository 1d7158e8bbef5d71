/// Integers in a range without bias.
#pragma once

#include <span>

#include "tessera/layout/dtype.h"
#include "tessera/library/random/bit_generator.h"

namespace tessera::library {

/// How a draw is brought into range: by multiplication (Lemire), or by masking and rejection (the legacy generator).
enum class Rejection : uint8_t { multiply, mask };

/// In [0, range], range included; 32-bit draws where range fits in 32 bits.
uint64_t draw_bounded(BitGenerator& bits, uint64_t range, Rejection rejection = Rejection::multiply);
/// In [0, range] by masking, 32-bit draws where range fits: what shuffling uses.
uint64_t draw_interval(BitGenerator& bits, uint64_t range);

/// Draws for integers narrower than 32 bits are cut from 32-bit words; the words left over carry from draw to draw.
struct WordPieces {
  uint32_t word = 0;
  int left = 0;
};
/// One integer of dtype (bool to 64 bits) in [offset, offset + range], as its bits.
uint64_t draw_integer(BitGenerator& bits, DType dtype, uint64_t offset, uint64_t range, Rejection rejection,
                      WordPieces& pieces);
/// count integers of dtype.
void fill_integers(BitGenerator& bits, DType dtype, uint64_t offset, uint64_t range, Rejection rejection, int64_t count,
                   char* out);

}  // namespace tessera::library
