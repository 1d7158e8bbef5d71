/// SortTile: the elements that a block of threads sorts together.
#pragma once

#include "tessera/layout/dtype.h"

namespace tessera::routines {

inline constexpr int sort_digits = 256;

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

}  // namespace tessera::routines
