/// tile_steps: a plan's steps as those that tile/schedule.h spreads over places.
#pragma once

#include <vector>

#include "tessera/plan/plan.h"
#include "tessera/plan/request.h"
#include "tessera/tile/schedule.h"

namespace tessera::engine {

/// With the offsets that views have in this run.
std::vector<tile::Step> tile_steps(const plan::Plan& plan, const plan::Request& request);
/// Bytes of the plan's slots that should not be cut: the distance between the outermost elements of the view that is
/// made there.
std::vector<int64_t> row_bytes(const plan::Plan& plan, const plan::Request& request);

}  // namespace tessera::engine
