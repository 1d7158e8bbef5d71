/// How the shapes of a ufunc's operands and outputs meet, with NumPy's errors.
#pragma once

#include <span>

#include "tessera/engine/array.h"

namespace tessera::bind {

/// The common shape; throws ValueError in NumPy's words, naming the shapes of the operands and then of the outputs.
/// Null outputs are to be made; the others may be larger than the operands but never stretched.
Dims meet_shapes(std::span<const Operand> operands, const Operand* where, std::span<const Array> outputs);

}  // namespace tessera::bind
