/// The kernels of bincount.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

inline constexpr int bins_threads = 256, shared_bins = 4096;
/// The least and the largest of some integers.
ir::Kernel bounds_kernel(DType dtype);
/// `shared`: counts in shared memory, for at most shared_bins bins.
ir::Kernel count_bins_kernel(bool shared);

}  // namespace tessera::routines
