/// What placement asks of a plan: its memory, and whether it computes single elements only.
#pragma once

#include "tessera/engine/host/bound_plan.h"
#include "tessera/engine/support/limits.h"
#include "tessera/graph/node.h"
#include "tessera/plan/planner.h"

namespace tessera::engine {

/// Computes once how much memory the plan holds while it runs.
void measure(BoundPlan& bound, const plan::Request& request);
/// Whether the request computes single elements only, from operands on the host: the host does that faster than a
/// launch.
bool is_all_elements_of_host(const plan::Request& request);
bool is_only_on_device(const graph::Version& version);

}  // namespace tessera::engine
