/// The documentation of a ufunc, generated from its op.
#pragma once

#include <string>

#include "tessera/ops/op.h"

namespace tessera::bind {

/// Call signature, summary, parameters and result, in the layout of NumPy's documentation.
std::string documentation(const ops::Op& op);

}  // namespace tessera::bind
