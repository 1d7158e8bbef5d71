/// The kernel of take, and indices brought into range.
#pragma once

#include "tessera/library/host/gather.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

/// The index counted from the front, brought into [0, n) by the mode; an index that stays out of range sets wrong[0].
ir::Value index_in_range(Dense& d, ir::Value given, ir::Value n, library::IndexMode mode, uint32_t wrong);
ir::Kernel take_kernel(DType dtype, DType index_type, library::IndexMode mode);

}  // namespace tessera::routines
