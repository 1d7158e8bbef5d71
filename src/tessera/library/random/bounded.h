/// Unbiased integers in a range.
#pragma once

#include <span>

#include "tessera/layout/dtype.h"
#include "tessera/library/random/bit_generator.h"

namespace tessera::library {

/// How a draw is reduced to the range: by multiplication (Lemire), or by masking and rejection (the legacy generator).
enum class Rejection : uint8_t { multiply, mask };

/// In [0, range], inclusive; uses 32-bit draws if range fits in 32 bits.
uint64_t draw_bounded(BitGenerator& bits, uint64_t range, Rejection rejection = Rejection::multiply);
/// In [0, range] by masking, with 32-bit draws if range fits; used for shuffling.
uint64_t draw_interval(BitGenerator& bits, uint64_t range);

/// Integers narrower than 32 bits are cut from 32-bit words; the rest of a word is kept for the next draw.
struct WordPieces {
  uint32_t word = 0;
  int left = 0;
};
/// One integer of dtype (bool to 64 bits) in [offset, offset + range], as its bits.
uint64_t draw_integer(BitGenerator& bits, DType dtype, uint64_t offset, uint64_t range, Rejection rejection,
                      WordPieces& pieces);
/// Draws count integers of dtype.
void fill_integers(BitGenerator& bits, DType dtype, uint64_t offset, uint64_t range, Rejection rejection, int64_t count,
                   char* out);

}  // namespace tessera::library
