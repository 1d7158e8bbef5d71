/// Place: helpers that the placement of plans and of calls share, for threads that choose where operations run.
#pragma once

#include "tessera/engine/device/placement/cost_model.h"
#include "tessera/plan/planner.h"

namespace tessera::engine {

/// The work of the plan's kernels; times are not measured yet.
PlanCost find_cost(const plan::Plan& plan);
/// Whether all of the plan's operands are on the host.
bool is_on_host(const plan::Plan& plan, const plan::Request& request);
/// Results inherit the history and the credit of the operands they are computed from.
void pass_credit_on(const plan::Request& request, bool on_device);

}  // namespace tessera::engine
