/// The check for negative powers of integers: the only check of element values before a ufunc call starts.
#pragma once

#include <span>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// Throws NumPy's ValueError when `op` is power on integers and an exponent that `where` does not mask out is negative.
void check_integer_power(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                         const Operand* where = nullptr);

}  // namespace tessera::bind
