/// The kernels of ufunc.at.
#pragma once

#include "tessera/ops/op.h"

namespace tessera::routines {

/// A thread for each place, which has a run of the order.
ir::Kernel reduce_runs_kernel(const ops::Op& op, const ops::Signature& signature, DType target);
inline constexpr int long_run_threads = 160;
/// The same with a block for each place; real values of four bytes at least.
ir::Kernel reduce_long_runs_kernel(const ops::Op& op, const ops::Signature& signature, DType target);
ir::Kernel reduce_places_kernel(const ops::Op& op, const ops::Signature& signature, DType target);
/// Row numbers (int64) in a narrower type. buffers: numbers, out
ir::Kernel narrow_places_kernel(DType to);
ir::Kernel change_places_kernel(ir::AtomicKind kind, DType dtype);

}  // namespace tessera::routines
