/// SortKernels: the kernels of radix sorts (counting digits, one pass over tiles of long rows, all passes over short
/// ones) and of searches in sorted elements.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::engine {

inline constexpr int sort_digits = 256;
inline constexpr int sort_counts_threads = 256;

/// The elements that a block of threads sorts together: `keys` per thread.
struct SortTile {
  int threads, keys;
  int size() const { return threads * keys; }
};
/// The largest tile that fits registers and shared memory: part of a long row, or a row that one block sorts.
constexpr SortTile sort_tile(DType element, bool places) {
  const bool wide = itemsize(element) == 8;
  if (places) return {256, wide ? 10 : itemsize(element) == 4 ? 14 : 12};
  return {wide ? 256 : 384, 16};
}
/// Part of a long row for the kernels with little text that compute a first result.
inline constexpr SortTile short_text_tile{256, 2};
constexpr SortTile row_tile(DType element, bool places) {
  const int64_t bytes = itemsize(element) + (places ? 4 : 0);
  return {512, bytes <= 4 ? 8 : bytes <= 8 ? 6 : 4};
}

struct SortSweep {
  DType element;
  bool places;       // sorts indices instead of elements
  bool first, last;  // first: reads elements; last: writes the result
  DType status;      // uint32 for rows below 2^30
  SortTile tile;
};

/// Insertion indices of keys among sorted elements of the same type. buffers: sorted, keys, out (int64); scalar:
/// elements
ir::Kernel search_kernel(DType element, bool right);
/// nan_parts() of complex numbers as uint8, which sort before the numbers. buffers: x, out
ir::Kernel complex_nans_kernel(DType element);
/// The part of its row that each element belongs to, as uint8: below, equal to or above the elements at given indices
/// of the sorted row; in rows with NaN, one part for all. buffers: x, sorted, places (int64), out; scalars: length of a
/// row, places
ir::Kernel parts_kernel(DType element);
/// Elements (or their indices) in the order of their parts; rows with NaN sorted. buffers: x, sorted, order by parts,
/// [sorted order], out; scalar: length of a row
ir::Kernel parted_kernel(DType element, bool places);
/// The run that each number lies in. buffers: ends of the runs (int64), out; scalar: runs
ir::Kernel repeat_places_kernel();
ir::Kernel interpolate_kernel(int parts);
ir::Kernel sort_counts_kernel(DType element, bool short_text = false);
ir::Kernel sort_begins_kernel(DType status_word);
ir::Kernel sort_sweep_kernel(const SortSweep& sweep);
ir::Kernel sort_rows_kernel(DType element, bool places, const SortTile& tile);

}  // namespace tessera::engine
