/// The kernels of cumulative sums and their like.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

/// `short_text`: a variant with little text.
ir::Kernel scan_rows_kernel(ir::Opcode op, DType from, DType dtype, bool short_text = false);
inline constexpr int scan_sweep_threads = 128;
int scan_sweep_chunks(DType dtype);  // chunks per tile
/// The total before a chunk is found in `levels` levels of totals.
ir::Kernel scan_sweep_kernel(ir::Opcode op, DType from, DType dtype, int levels, bool short_text = false);
/// `totals`: computes only the total of each chunk.
ir::Kernel scan_columns_kernel(ir::Opcode op, DType from, DType dtype, bool totals);

}  // namespace tessera::routines
