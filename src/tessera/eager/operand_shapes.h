/// Broadcasting of the shapes of a ufunc's operands and outputs, with NumPy's errors.
#pragma once

#include <span>

#include "tessera/graph/array.h"

namespace tessera::eager {

/// The common shape; throws NumPy's ValueError, which lists the shapes of the operands and then of the outputs. Null
/// outputs are to be allocated; the others may be larger than the operands but are never broadcast.
Dims meet_shapes(std::span<const Operand> operands, const Operand* where, std::span<const Array> outputs);

}  // namespace tessera::eager
