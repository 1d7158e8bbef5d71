/// The kernel of take, and indices brought into range.
#pragma once

#include "tessera/routines/dense.h"

namespace tessera::routines {

enum class PickMode : uint8_t { raise, wrap, clip };
/// The index counted from the front, brought into [0, n) by the mode; an index that stays out of range sets wrong[0].
ir::Value index_in_range(Dense& d, ir::Value given, ir::Value n, PickMode mode, uint32_t wrong);
ir::Kernel take_kernel(DType dtype, DType index_type, PickMode mode);

}  // namespace tessera::routines
