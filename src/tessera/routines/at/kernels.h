/// The kernels of ufunc.at.
#pragma once

#include "tessera/ops/op.h"

namespace tessera::routines {

ir::Kernel reduce_places_kernel(const ops::Op& op, const ops::Signature& signature, DType target);
/// Row numbers (int64) in a narrower type. buffers: numbers, out
ir::Kernel narrow_places_kernel(DType to);
ir::Kernel change_places_kernel(ir::AtomicKind kind, DType dtype);

}  // namespace tessera::routines
