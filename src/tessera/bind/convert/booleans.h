/// Normalisation of foreign booleans: NumPy's views may hold any byte, the engine's kernels expect 0 and 1.
#pragma once

#include "tessera/graph/array.h"

namespace tessera::bind {

/// Whether every element's byte is 0 or 1.
bool has_plain_booleans(const Array& array);
/// The array when all its booleans are 0 or 1 or it has none, else a copy in which every nonzero byte is 1.
Array with_plain_booleans(Array array);

}  // namespace tessera::bind
