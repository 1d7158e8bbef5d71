/// The kernels of products of integer matrices and of correlations.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

inline constexpr int product_threads = 256, product_side = 64;
ir::Kernel integer_product_kernel(DType dtype);
ir::Kernel correlate_kernel(DType dtype);

}  // namespace tessera::routines
