/// The kernels of radix sorts (counting digits, one pass over tiles of long rows, all passes over short ones) and of
/// what searches sorted elements.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::engine {

inline constexpr int sort_digits = 256;
inline constexpr int sort_counts_threads = 256;

/// What a block of threads sorts at once: `keys` a thread.
struct SortTile {
  int threads, keys;
  int size() const { return threads * keys; }
};
/// As much as registers and shared memory have room for: a part of a long row, and a row that is sorted in one block.
constexpr SortTile sort_tile(DType element, bool places) {
  const bool wide = itemsize(element) == 8;
  if (places) return {256, wide ? 10 : itemsize(element) == 4 ? 14 : 12};
  return {wide ? 256 : 384, 16};
}
/// A part of a long row for kernels of little text, as a first result wants them.
inline constexpr SortTile short_text_tile{256, 2};
constexpr SortTile row_tile(DType element, bool places) {
  const int64_t bytes = itemsize(element) + (places ? 4 : 0);
  return {512, bytes <= 4 ? 8 : bytes <= 8 ? 6 : 4};
}

struct SortSweep {
  DType element;
  bool places;       // sorts where elements stand instead of them
  bool first, last;  // reads elements, writes what the caller wants
  DType status;      // uint32 for rows below 2^30
  SortTile tile;
};

/// Where keys stand among sorted elements of the same type. buffers: sorted, keys, out (int64); scalar: elements
ir::Kernel search_kernel(DType element, bool right);
/// nan_parts of complex numbers, as uint8, which rank before the numbers themselves. buffers: x, out
ir::Kernel complex_nans_kernel(DType element);
/// Which part of its row each element belongs to, as uint8: below, equal to or above the elements that stand at some
/// places of the sorted row; of rows with NaN, all to one. buffers: x, sorted, places (int64), out; scalars: length of
/// a row, places
ir::Kernel parts_kernel(DType element);
/// Elements (or where they stand) by the order of their parts; rows with NaN as they are sorted. buffers: x, sorted,
/// order by parts, [sorted order], out; scalar: length of a row
ir::Kernel parted_kernel(DType element, bool places);
/// Which run each number lies in. buffers: where runs end (int64), out; scalar: runs
ir::Kernel repeat_places_kernel();
ir::Kernel interpolate_kernel(int parts);
ir::Kernel sort_counts_kernel(DType element, bool short_text = false);
ir::Kernel sort_begins_kernel(DType status_word);
ir::Kernel sort_sweep_kernel(const SortSweep& sweep);
ir::Kernel sort_rows_kernel(DType element, bool places, const SortTile& tile);

}  // namespace tessera::engine
