/// Booleans from outside: NumPy's views may hold any byte, the engine's kernels know 0 and 1.
#pragma once

#include "tessera/engine/array.h"

namespace tessera::bind {

/// Whether every element's byte is 0 or 1.
bool has_plain_booleans(const Array& array);
/// The array when its booleans are plain or it has none, else a copy in which every byte but 0 is 1.
Array with_plain_booleans(Array array);

}  // namespace tessera::bind
