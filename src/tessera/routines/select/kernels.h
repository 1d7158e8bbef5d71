/// The kernels of nonzero and of selections by a mask.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

inline constexpr int select_threads = 256, select_tile = 4096, select_begins_threads = 1024;
ir::Kernel select_counts_kernel(DType mask);
ir::Kernel select_begins_kernel();
ir::Kernel nonzero_kernel(DType mask, int axes);
ir::Kernel compress_kernel(DType word, int each, bool expands);

}  // namespace tessera::routines
