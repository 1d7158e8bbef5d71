/// Moves: a plan's small copies and fills, joined so that one launch does several of them, such as the edges that a
/// stencil's loop sets and what its writes leave untouched.
#pragma once

#include <variant>
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

/// A copy of a step, or the step's kernel.
struct StepPart {
  int32_t step = -1;
  int32_t copy = -1;  // -1: the kernel
};

/// The parts of a plan's steps in an equivalent order, some of them joined. Valid where views have the offsets they had
/// when the plan was made.
using PlanPart = std::variant<StepPart, MoveSet>;
std::vector<PlanPart> join_moves(const Plan& plan);

}  // namespace tessera::plan
