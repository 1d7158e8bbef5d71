/// select: counts, lists and compacts the nonzero elements of arrays.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/layout/view.h"

namespace tessera::library {

/// The number of nonzero elements among n contiguous ones (NaN counts as nonzero).
int64_t count_nonzero(const char* data, DType dtype, int64_t n);

/// out[axis][k] = coordinate of the k-th nonzero element of a C-contiguous array, in C order. Each out[axis] has room
/// for count_nonzero numbers; a 1-d shape gives flat indices.
void nonzero(const char* data, DType dtype, std::span<const int64_t> shape, std::span<int64_t* const> out);

/// Copies the blocks of block_bytes whose mask byte is set to out, which has room for count_nonzero(mask) blocks.
void compress(const uint8_t* mask, int64_t n, const char* blocks, int64_t block_bytes, char* out);

/// destination[mask] = values: `mask` has the leading axes of `to`; both are strided, and offsets are ignored. values
/// has one element of to's dtype if `one_value`, else the elements to assign in C order, contiguous.
void mask_assign(char* destination, const View& to, const char* mask, const View& mask_view, const char* values,
                 bool one_value);

}  // namespace tessera::library
