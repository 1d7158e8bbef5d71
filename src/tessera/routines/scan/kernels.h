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
/// For rows of which some chunks are scanned elsewhere: the totals of chunks from the first on, by tiles.
ir::Kernel scan_chunk_totals_kernel(ir::Opcode op, DType from, DType dtype);
/// Tells such totals to a sweep, and of groups of them those of a level, from the level below.
ir::Kernel scan_told_chunks_kernel(DType dtype);
ir::Kernel scan_told_groups_kernel(ir::Opcode op, DType dtype);
/// `totals`: computes only the total of each chunk.
ir::Kernel scan_columns_kernel(ir::Opcode op, DType from, DType dtype, bool totals);

}  // namespace tessera::routines
