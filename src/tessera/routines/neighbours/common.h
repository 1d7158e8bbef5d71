/// Intersections of sorted rows.
#pragma once

#include "tessera/routines/neighbours/rows.h"

namespace tessera::routines {

/// How many neighbours nodes u and v have in common: each of the shorter row is looked for in the longer one. Rows are
/// in increasing order, in buffers `offsets` and `targets` of the step.
ir::Value common_count(const StepParts& s, int offsets, int targets, ir::Value u, ir::Value v);

}  // namespace tessera::routines
