/// lane_cost: how much a lane of a kernel computes.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::mapping {

/// Approximate number of instructions per lane; of reductions those for one element.
int lane_cost(const ir::Kernel& kernel);

}  // namespace tessera::mapping
