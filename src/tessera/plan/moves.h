/// Moves: a plan's small copies and fills, joined so that one launch does several of them, such as the edges that a
/// stencil's loop sets and what its writes leave untouched.
#pragma once

#include <variant>
#include <vector>

#include "tessera/plan/move_set.h"
#include "tessera/plan/plan.h"

namespace tessera::plan {

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
