/// Kernels that complete what several places computed of one call.
#pragma once

#include "tessera/routines/kernel_launch.h"

namespace tessera::routines {

/// Adds `parts` arrays of `size` numbers, one after the other in memory, first to last.
KernelLaunch sum_of_parts(DType dtype, int64_t size, int64_t parts, const char* all, const char* out);
/// Adds `size` numbers to those at `out`.
KernelLaunch add_term(DType dtype, int64_t size, const char* term, const char* out);
/// Copies a matrix of `rows` x `columns` to the columns from `first` on of one that is `width` wide.
KernelLaunch copy_to_columns(DType dtype, int64_t rows, int64_t columns, int64_t first, int64_t width, const char* from,
                             const char* out);
/// Adds a number to `size` indices, of type int64.
KernelLaunch add_to_indices(int64_t size, int64_t number, const char* indices);

}  // namespace tessera::routines
