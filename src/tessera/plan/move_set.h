/// MoveSet: small copies and fills that one launch does.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/plan/plan.h"

namespace tessera::plan {

/// Copies bytes to a slot from `distance` further on in another slot, or fills them with a scalar.
struct Move {
  int32_t to = -1;
  ByteBox box;        // at most two axes
  int32_t from = -1;  // -1: `value`
  int64_t distance = 0;
  NodeRef value;
};

/// Moves that may run in any order or all at once: no move reads what another one writes.
struct MoveSet {
  std::vector<Move> moves;
  int64_t item = 1;  // divides every byte count in the set
};

}  // namespace tessera::plan
