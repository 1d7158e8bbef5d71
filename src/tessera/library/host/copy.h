/// copy: elements from one view to another, cast on the way.
#pragma once

#include <cstdint>

#include "tessera/layout/view.h"

namespace tessera::library {

/// to[...] = from[...], equal shapes, disjoint memory. The pointers are element (0, ..., 0); the views' offsets do not
/// count. Casts are NumPy's (casting="unsafe").
void copy_view(const char* source, const View& from, char* destination, const View& to);

/// Casts n strided elements.
using CastLoop = void (*)(const char* source, int64_t source_stride, char* destination, int64_t destination_stride,
                          int64_t n);
CastLoop find_cast_loop(DType from, DType to);

}  // namespace tessera::library
