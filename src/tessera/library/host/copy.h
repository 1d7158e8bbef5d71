/// copy: copies elements from one view to another, with a cast if the dtypes differ.
#pragma once

#include <cstdint>

#include "tessera/layout/view.h"

namespace tessera::library {

/// to[...] = from[...] for equal shapes and disjoint memory. The pointers are the addresses of element (0, ..., 0); the
/// views' offsets are ignored. Casts are NumPy's (casting="unsafe").
void copy_view(const char* source, const View& from, char* destination, const View& to);

/// Casts n strided elements.
using CastLoop = void (*)(const char* source, int64_t source_stride, char* destination, int64_t destination_stride,
                          int64_t n);
CastLoop find_cast_loop(DType from, DType to);

}  // namespace tessera::library
