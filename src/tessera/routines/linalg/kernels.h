/// The kernels of factorisations; each states its buffers and scalars.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

ir::Kernel identity_kernel(DType real, int parts);
ir::Kernel triangle_kernel(int words, bool upper);

}  // namespace tessera::routines
