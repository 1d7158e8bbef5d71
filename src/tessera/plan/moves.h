/// Moves: what a plan copies and fills in small pieces, joined so that one launch does what took many: the edges that a
/// stencil's loop sets, and what its writes leave untouched.
#pragma once

#include <variant>
#include <vector>

#include "tessera/plan/plan.h"

namespace tessera::plan {

/// Bytes of a slot that get those `distance` further on in another one, or a scalar's over and over.
struct Move {
  int32_t to = -1;
  ByteBox box;        // with two axes at most
  int32_t from = -1;  // -1: `value`
  int64_t distance = 0;
  NodeRef value;
};

/// In any order, or all at once: no move reads what another one writes.
struct MoveSet {
  std::vector<Move> moves;
  int64_t item = 1;  // divides every number of bytes in it
};

/// A copy of a step, or its kernel.
struct StepPart {
  int32_t step = -1;
  int32_t copy = -1;  // -1: the kernel
};

/// The parts of a plan's steps in an order that is as good as their own, some of them joined. Holds where views lie as
/// they did when the plan was made.
using PlanPart = std::variant<StepPart, MoveSet>;
std::vector<PlanPart> join_moves(const Plan& plan);

}  // namespace tessera::plan
