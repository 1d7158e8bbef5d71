/// Stencils that are called inside functions.
#pragma once

#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// The call of a stencil: its results, in a new array or in `out=`.
Item lower_stencil(Lowering& l, const Node& node, const Entity& stencil);

}  // namespace tessera::kernel
