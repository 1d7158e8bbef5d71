/// Branches and loops around meeting points, cut there, so that a block's lanes reach each of them together.
#pragma once

#include <optional>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

/// The same kernel with no meeting point in control flow that differs between lanes:
///   if c { a; barrier; b }       becomes   if c { a }; barrier; if c { b }
///   while c { a; barrier; b }    becomes   while any lane is active { ... the body, cut, under the mask of active
///   lanes }
/// All lanes then reach the meeting points, and compute what has no effect. The points left are barriers, counts,
/// ballots without masks and shuffles by index within the warp: other votes are written in these, with the lanes that
/// run taken into account. Nothing where the kernel has no meeting point but barriers, all in uniform control flow.
std::optional<ir::Kernel> split_branches(const ir::Kernel& kernel);

}  // namespace tessera::lanes
