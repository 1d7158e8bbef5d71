/// The kernels of argmin and argmax.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::routines {

/// A lane has at most this many slices, one block each.
inline constexpr int extreme_threads = 256, most_slices = 1024;
/// `short_text`: a variant with little text, for at most 2^31 slices.
ir::Kernel extreme_rows_kernel(bool largest, DType dtype, bool short_text = false);
/// `joins`: among the indices found by an earlier launch.
ir::Kernel extreme_columns_kernel(bool largest, DType dtype, bool joins, bool short_text = false);

}  // namespace tessera::routines
