/// numpy.nditer: elements of arrays that are broadcast, in the order in which they lie in memory.
#pragma once

#include "tessera/kernel/lower/loops/sequence.h"

namespace tessera::kernel {

/// Arrays without axes, of several operands a tuple of them.
Sequence elements_of_nditer(Lowering& l, const Node& call);

}  // namespace tessera::kernel
