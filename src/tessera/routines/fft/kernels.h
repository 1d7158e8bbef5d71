/// Kernels for what the devices' libraries leave out of transforms.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

ir::Kernel scale_kernel(DType real);
ir::Kernel clear_imaginary_kernel(DType real);

}  // namespace tessera::routines
