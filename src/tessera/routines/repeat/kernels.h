/// The kernel that repeats elements by one count.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

/// Rows of words, each repeated. `single`: of one word. `is_short`: there are less than 2^32 words. buffers: x, out;
/// scalars: words of a row's repetitions, [words of a row]
ir::Kernel repeat_each_kernel(DType word, bool single, bool is_short);

}  // namespace tessera::routines
