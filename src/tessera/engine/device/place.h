/// Where operations of threads with a choice run: what plans and calls have in common.
#pragma once

#include "tessera/plan/planner.h"

namespace tessera::engine {

/// Whether the host has all of the plan's operands.
bool is_home(const plan::Plan& plan, const plan::Request& request);
/// What the nodes make inherits the history of what they read, and its credit.
void pass_credit_on(const plan::Request& request, bool on_device);

}  // namespace tessera::engine
