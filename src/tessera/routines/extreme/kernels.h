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

/// The elements at the indices found, of results that stand beside each other, and those indices among all parts'.
ir::Kernel extreme_elements_kernel(DType dtype);
/// The index of the first extreme among those of several parts.
ir::Kernel join_extremes_kernel(bool largest, DType dtype);

}  // namespace tessera::routines
