/// Kernels: loops whose speed depends on the vector width, compiled once per CPU level.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::library {

/// Tables are indexed by DType; entries are null for dtypes without such a loop.
struct Kernels {
  /// The index of the first extreme value among n > 0 elements; that of the first NaN if there is one.
  using FindExtreme = int64_t (*)(const void* data, int64_t n);
  FindExtreme find_smallest[dtype_count] = {};
  FindExtreme find_largest[dtype_count] = {};

  /// The same per column: out[i] is the row index in column i of n rows that are `stride` elements apart (n < 2^31).
  using ExtremeColumns = void (*)(const void* data, int64_t n, int64_t stride, int64_t columns, int64_t* out);
  ExtremeColumns smallest_columns[dtype_count] = {};
  ExtremeColumns largest_columns[dtype_count] = {};

  /// Whether NaN or -0 occurs, for which plain comparisons do not define the order. Floats only.
  using HasSpecials = bool (*)(const void* data, int64_t n);
  HasSpecials has_specials[dtype_count] = {};

  /// Copies the elements in [*low, *high] to inside, in order, and counts those below *low. No NaN; inside may be data.
  /// data.
  struct Bracketed {
    int64_t below, inside;
  };
  using Bracket = Bracketed (*)(const void* data, int64_t n, const void* low, const void* high, void* inside);
  Bracket bracket[dtype_count] = {};

  /// Copies the elements below, equal to and above *pivot to three arrays, in order. Each array needs room only for its
  /// own elements.
  using Part = void (*)(const void* data, int64_t n, const void* pivot, void* below, void* equal, void* above);
  Part part[dtype_count] = {};
  /// The same for the indices of the elements.
  using PartIndices = void (*)(const void* data, int64_t n, const void* pivot, int64_t* below, int64_t* equal,
                               int64_t* above);
  PartIndices part_indices[dtype_count] = {};

  /// The smallest and largest sort key (sort_keys.h) of n > 0 elements.
  struct KeyRange {
    uint64_t low, high;
  };
  KeyRange (*key_range[dtype_count])(const void* data, int64_t n) = {};
  /// words[k] = (key of element k - least) >> shift << index_bits | k.
  void (*pack_keys[dtype_count])(const void* data, int64_t begin, int64_t end, uint64_t least, int shift,
                                 int index_bits, uint64_t* words) = {};
};

/// The kernels for this CPU.
const Kernels& kernels();

}  // namespace tessera::library
