/// select: counting, listing and compacting the elements that are not zero.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/layout/view.h"

namespace tessera::library {

/// How many of n contiguous elements are not zero (NaN is not zero).
int64_t count_nonzero(const char* data, DType dtype, int64_t n);

/// out[axis][k]: coordinate of the k-th nonzero element of a C-contiguous array, in C order. Each out[axis] holds
/// count_nonzero numbers; a flat index list is the case of a 1-d shape.
void nonzero(const char* data, DType dtype, std::span<const int64_t> shape, std::span<int64_t* const> out);

/// Copies to out the blocks of block_bytes whose mask byte is set; out holds count_nonzero(mask) blocks.
void compress(const uint8_t* mask, int64_t n, const char* blocks, int64_t block_bytes, char* out);

/// destination[mask] = values: `mask` has the leading axes of `to`; both are strided, offsets do not count. values
/// holds one element of to's dtype when `one_value`, else the selected elements in C order, contiguous.
void mask_assign(char* destination, const View& to, const char* mask, const View& mask_view, const char* values,
                 bool one_value);

}  // namespace tessera::library
