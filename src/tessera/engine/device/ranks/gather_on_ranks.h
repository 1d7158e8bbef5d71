/// gather_on_ranks: a look at an array that is cut over ranks, which gives all of them the same bytes.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/engine/device/ranks/ranks.h"

namespace tessera::engine {

/// Bytes that one rank has, and where all want them.
struct RankPiece {
  int rank;
  const char* from;  // of its place; meaningful there
  char* to;
  int64_t nbytes;
};

/// All ranks call it alike, with the bytes of an array from `begin` on. In a forecast they are zeros.
void gather_on_ranks(Ranks& ranks, int64_t begin, int64_t nbytes, std::span<const RankPiece> pieces);

/// Gives every rank the number of each, of which it knows its own.
void exchange_numbers(Ranks& ranks, std::span<int64_t> by_rank);

/// Returns once all ranks have called it.
void meet(Ranks& ranks);

}  // namespace tessera::engine
