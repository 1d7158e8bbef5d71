/// SortKernels: the kernels of radix sorts (counting digits, one pass over tiles of long rows, all passes over short
/// ones).
#pragma once

#include "tessera/ir/kernel.h"
#include "tessera/routines/sort/sort_tile.h"

namespace tessera::routines {

inline constexpr int sort_counts_threads = 256;

struct SortSweep {
  DType element;
  bool places;       // sorts indices instead of elements
  bool first, last;  // first: reads elements; last: writes the result
  DType status;      // uint32 for rows below 2^30
  SortTile tile;
};

/// One part of complex numbers, which are read as pairs of `real`. buffers: x, out; scalar: 0 for real parts, 1 for
/// imaginary ones
ir::Kernel complex_part_kernel(DType real);
/// out[r, k] = x[r, order[r, k]], for elements of `each` words. buffers: x, order (int64), out; scalar: length of a row
ir::Kernel gather_rows_kernel(DType word, int each);
ir::Kernel sort_counts_kernel(DType element, bool short_text = false);
ir::Kernel sort_begins_kernel(DType status_word);
ir::Kernel sort_sweep_kernel(const SortSweep& sweep);
ir::Kernel sort_rows_kernel(DType element, bool places, const SortTile& tile);

}  // namespace tessera::routines
