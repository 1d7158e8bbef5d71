/// Conversion of elements from one strided array to another, with a cast where the dtypes differ.
#pragma once

#include "tessera/layout/view.h"

namespace tessera::eager {

struct StridedElements {
  DType dtype;
  char* data;
  const Dims& strides;
};

/// Whether the cast has a precompiled loop.
bool can_convert(DType from, DType to);
/// to[...] = from[...] over `shape`; the two must not overlap.
void convert_rows(std::span<const int64_t> shape, const StridedElements& from, const StridedElements& to);

}  // namespace tessera::eager
