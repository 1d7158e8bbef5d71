/// The one check of element values that a ufunc call makes before it starts: negative powers of integers.
#pragma once

#include <span>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// Throws ValueError in NumPy's words when `op` is power on integers and an exponent is negative that `where` does not
/// leave out.
void check_integer_power(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                         const Operand* where = nullptr);

}  // namespace tessera::bind
