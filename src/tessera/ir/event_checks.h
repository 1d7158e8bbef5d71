/// with_event_checks: a ufunc's body that also finds the floating-point events of its own arithmetic.
#pragma once

#include <optional>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// The body with a check behind each instruction of float32 and float64 that may raise an event, all of flag slot 0.
/// Nothing where there is none, and of bodies with complex numbers, whose arithmetic is expanded into steps that raise
/// more than NumPy's does.
std::optional<Kernel> with_event_checks(const Kernel& body);

}  // namespace tessera::ir
