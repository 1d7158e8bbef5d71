/// Planner: converts the nodes of a window to a plan by a sequence of passes over one draft.
#pragma once

#include <cstdint>

#include "tessera/plan/plan.h"
#include "tessera/plan/request.h"

namespace tessera::plan {

/// `wave_bytes`: cache that one thread's part of a wave may use (plan/wave.h); 0: no waves.
Plan make_plan(const Request& request, int64_t wave_bytes = 0);

}  // namespace tessera::plan
