/// Branches around barriers, cut there, so that a barrier never is in control flow that differs between lanes.
#pragma once

#include <optional>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// The same kernel with each branch that differs between lanes and contains a barrier as branches between the barriers:
///   if c { a; barrier; b }   becomes   if c { a }; barrier; if c { b }
/// Loops over a range inside go around such pieces. All lanes then reach the barriers, and compute what has no effect.
/// Nothing where there is no such branch, or where one contains a `while` with a barrier, which might not end in a
/// block that does not take the branch.
std::optional<ir::Kernel> split_branches(const ir::Kernel& kernel);

}  // namespace tessera::lanes
