#include "tessera/routines/frames/words.h"

#include <bit>
#include <cmath>
#include <type_traits>

#include "tessera/base/error.h"
#include "tessera/layout/element_cast.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

constexpr uint64_t sign_bit = uint64_t{1} << 63;

template <class T>
uint64_t word_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return null_word;
    const uint64_t bits = std::bit_cast<uint64_t>(static_cast<double>(value) + 0.0);  // -0.0 + 0.0 is 0.0
    return bits & sign_bit ? ~bits : bits | sign_bit;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ sign_bit;
  } else {
    return static_cast<uint64_t>(value);
  }
}

template <class T>
void write(const ColumnView& column, bool times, std::span<uint64_t> words) {
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) words[row] = word_of(column.at<T>(row));
    if (!times) return;
    // missing_time has the word 0: it becomes the last one, and makes room for itself.
    for (int64_t row = begin; row < end; ++row) --words[row];
  };
  runtime::parallel_for(column.size, 1 << 16, body);
}

}  // namespace

bool may_be_null(DType dtype, bool times) { return times || is_floating(dtype); }

void write_words(const ColumnView& column, bool times, std::span<uint64_t> words) {
  invariant(static_cast<int64_t>(words.size()) == column.size, "a word for each element");
  visit_dtype(column.dtype, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>)
      write<uint8_t>(column, false, words);
    else if constexpr (std::is_arithmetic_v<T>)
      write<T>(column, times, words);
    else
      throw TypeError(format("frames: keys of dtype {} have no words", name(column.dtype)));
  });
}

void write_sort_keys(const ColumnView& column, bool times, KeyOrder order, std::span<uint64_t> words) {
  write_words(column, times, words);
  const bool nullable = may_be_null(column.dtype, times);
  if (!order.falling && !(nullable && order.nulls_first)) return;
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const bool null = nullable && words[row] == null_word;
      // Words of elements are below null_word where there may be missing ones: one more is still a word.
      const uint64_t word = order.falling ? (nullable ? null_word - 1 - words[row] : ~words[row]) : words[row];
      words[row] = null ? (order.nulls_first ? 0 : null_word) : word + (nullable && order.nulls_first ? 1 : 0);
    }
  };
  runtime::parallel_for(column.size, 1 << 16, body);
}

}  // namespace tessera::routines::frames
