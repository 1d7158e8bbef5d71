/// Words: elements as 64-bit numbers that are equal and ordered as the elements are.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/routines/frames/column.h"

namespace tessera::routines::frames {

/// The word of NaN and of missing times: the last one in order.
inline constexpr uint64_t null_word = UINT64_MAX;

/// Whether this dtype has elements that count as missing.
bool may_be_null(DType dtype, bool times);

/// Writes the words of a column of booleans, integers, float32 or float64. -0.0 has the word of 0.0. `times`: the
/// integers are dates or time spans, of which missing_time is missing.
void write_words(const ColumnView& column, bool times, std::span<uint64_t> words);

/// The same as keys of a sort: in falling order, or with missing elements before all others.
struct KeyOrder {
  bool falling = false;
  bool nulls_first = false;
};
void write_sort_keys(const ColumnView& column, bool times, KeyOrder order, std::span<uint64_t> words);

}  // namespace tessera::routines::frames
