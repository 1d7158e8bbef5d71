/// Picking and storing elements by index along the first axis of host memory.
#pragma once

#include <cstddef>
#include <span>

#include "tessera/layout/view.h"

namespace tessera::eager {

/// The number of elements in one row of `view`, or -1 when a row's elements are not contiguous.
int64_t row_size(const View& view);
/// to[k] = from[at[k]] for rows of `row_bytes` bytes, negative indices counting from the end; false at an index that is
/// out of range.
bool pick_rows(const char* from, const View& view, std::span<const int64_t> at, size_t row_bytes, char* to);
/// to[at[k]] = value k along the only axis of `view`, in order, from values `step` bytes apart; false, with nothing
/// done, when an index is out of range.
bool put_elements(char* to, const View& view, std::span<const int64_t> at, const void* values, size_t step);

}  // namespace tessera::eager
