/// The factor of the polar method: from a point of the unit circle to two normals, where that can be told on a device.
#pragma once

#include "tessera/routines/dense.h"

namespace tessera::routines {

struct PolarFactor {
  ir::Value factor, is_doubtful;
};

/// sqrt(-2 log(square) / square) with the host's logarithm, of 0 < square < 1; doubtful where a logarithm that is up to
/// 1/32 of a unit in the last place beside the rounded one would give another factor.
PolarFactor polar_factor(ir::Builder& b, ir::Value square);

/// The factor of this logarithm, rounded as the host does.
ir::Value factor_of(ir::Builder& b, ir::Value log, ir::Value square);

}  // namespace tessera::routines
