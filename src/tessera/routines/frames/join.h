/// join: which rows of two tables belong together, in pandas' order.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/codes.h"

namespace tessera::routines::frames {

enum class JoinKind : uint8_t { inner, left, right, outer };

/// Pairs of rows; -1 where a row has no partner. A side whose rows are all of them in their order may have none.
struct JoinedRows {
  Buffer<int64_t> left, right;
  bool all_left = false, all_right = false;
};

/// Joins rows by codes below `groups`, which both sides share; equal codes belong together. A code of -1 has no
/// partner. Inner and left joins come by left row, then right row; right joins by right row, then left row; `sorted`
/// ones, and outer joins, by code first.
JoinedRows join(const CodesView& left, const CodesView& right, int64_t groups, JoinKind kind, bool sorted);

}  // namespace tessera::routines::frames
