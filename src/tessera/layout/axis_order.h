/// The order of a new array's axes in memory, taken from an existing array.
#pragma once

#include "tessera/layout/view.h"

namespace tessera {

/// A dense layout of `shape` whose axes have the same order in memory as those of `like` (NumPy's order 'K').
View layout_like(const Dims& shape, DType dtype, const View& like);

}  // namespace tessera
