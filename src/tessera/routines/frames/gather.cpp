#include "tessera/routines/frames/gather.h"

#include <algorithm>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

constexpr int64_t gather_block = 1 << 13;  // rows whose numbers stay in the cache for all columns

[[noreturn]] void refuse_row(int64_t row, int64_t rows) {
  throw IndexError(format("frames: row {} of {} rows is asked for", row, rows));
}

template <class T>
void gather_block_of(const char* from, int64_t size, std::span<const int64_t> rows, T none, T* out) {
  const T* elements = reinterpret_cast<const T*>(from);
  for (size_t at = 0; at < rows.size(); ++at) {
    const int64_t row = rows[at];
    if (static_cast<uint64_t>(row) < static_cast<uint64_t>(size)) [[likely]]
      out[at] = elements[row];
    else if (row == -1)
      out[at] = none;
    else
      refuse_row(row, size);
  }
}

/// Calls body(T{}) with an unsigned integer of the size.
template <class Body>
void visit_size(int64_t itemsize, Body&& body) {
  switch (itemsize) {
    case 1: return body(uint8_t{});
    case 2: return body(uint16_t{});
    case 4: return body(uint32_t{});
    case 8: return body(uint64_t{});
    default: throw TypeError(format("frames: elements of {} bytes are not gathered", itemsize));
  }
}

/// Calls body(block, begin, end) for blocks of rows, on all threads.
template <class Body>
void over_blocks(int64_t rows, int64_t block, Body&& body) {
  auto some = [&](int64_t from, int64_t to) {
    for (int64_t b = from; b < to; ++b) body(b, b * block, std::min(rows, (b + 1) * block));
  };
  runtime::parallel_for((rows + block - 1) / block, 1, some);
}

template <class T>
void compress_rows(const char* from, std::span<const uint8_t> mask, int64_t begin, int64_t end, int64_t count, T* out) {
  const T* elements = reinterpret_cast<const T*>(from);
  int64_t at = 0;
  for (int64_t row = begin; at < count && row < end; ++row) {
    out[at] = elements[row];
    at += mask[row] != 0;
  }
}

}  // namespace

void gather_elements(const ElementsView& from, std::span<const int64_t> rows, const char* missing, char* out) {
  const int64_t n = static_cast<int64_t>(rows.size());
  visit_size(from.itemsize, [&]<class T>(T none) {
    if (missing) std::memcpy(&none, missing, sizeof(T));
    over_blocks(n, gather_block, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t column = 0; column < from.columns; ++column)
        gather_block_of(from.data + column * from.column_stride, from.rows, rows.subspan(begin, end - begin), none,
                        reinterpret_cast<T*>(out) + column * n + begin);
    });
  });
}

std::vector<int64_t> places_where(std::span<const uint8_t> mask) {
  const int64_t n = static_cast<int64_t>(mask.size()), blocks = (n + compress_block - 1) / compress_block;
  std::vector<int64_t> places(blocks + 1, 0);
  over_blocks(n, compress_block, [&](int64_t block, int64_t begin, int64_t end) {
    int64_t count = 0;
    for (int64_t row = begin; row < end; ++row) count += mask[row] != 0;
    places[block + 1] = count;
  });
  for (int64_t block = 0; block < blocks; ++block) places[block + 1] += places[block];
  return places;
}

Buffer<int64_t> rows_where(std::span<const uint8_t> mask) {
  const std::vector<int64_t> places = places_where(mask);
  Buffer<int64_t> rows(places.back());
  over_blocks(static_cast<int64_t>(mask.size()), compress_block, [&](int64_t block, int64_t begin, int64_t end) {
    int64_t at = places[block];
    for (int64_t row = begin; at < places[block + 1] && row < end; ++row) {
      rows[at] = row;
      at += mask[row] != 0;
    }
  });
  return rows;
}

void compress_elements(const ElementsView& from, std::span<const uint8_t> mask, std::span<const int64_t> places,
                       char* out) {
  visit_size(from.itemsize, [&]<class T>(T) {
    over_blocks(static_cast<int64_t>(mask.size()), compress_block, [&](int64_t block, int64_t begin, int64_t end) {
      const int64_t count = places[block + 1] - places[block];
      for (int64_t column = 0; column < from.columns; ++column)
        compress_rows(from.data + column * from.column_stride, mask, begin, end, count,
                      reinterpret_cast<T*>(out) + column * places.back() + places[block]);
    });
  });
}

void gather_offsets(const TextsView& texts, std::span<const int64_t> rows, std::span<int64_t> offsets) {
  const int64_t n = static_cast<int64_t>(rows.size()), blocks = (n + gather_block - 1) / gather_block;
  std::vector<int64_t> begins(blocks + 1, 0);
  const auto size_of = [&](int64_t row) -> int64_t {
    if (row == -1) return 0;
    if (static_cast<uint64_t>(row) >= static_cast<uint64_t>(texts.size())) refuse_row(row, texts.size());
    return texts.is_null(row) ? 0 : texts.offsets[row + 1] - texts.offsets[row];
  };
  over_blocks(n, gather_block, [&](int64_t block, int64_t begin, int64_t end) {
    int64_t total = 0;
    for (int64_t at = begin; at < end; ++at) offsets[at + 1] = total += size_of(rows[at]);
    begins[block + 1] = total;
  });
  for (int64_t block = 0; block < blocks; ++block) begins[block + 1] += begins[block];
  offsets[0] = 0;
  over_blocks(n, gather_block, [&](int64_t block, int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) offsets[at + 1] += begins[block];
  });
}

void gather_texts(const TextsView& texts, std::span<const int64_t> rows, std::span<const int64_t> offsets, char* out,
                  uint8_t* valid) {
  const int64_t end_of_data = texts.offsets.back();
  over_blocks(static_cast<int64_t>(rows.size()), gather_block, [&](int64_t, int64_t begin, int64_t end) {
    const int64_t end_of_block = offsets[end];
    for (int64_t at = begin; at < end;) {
      const int64_t row = rows[at], first = at++;
      if (row < 0 || offsets[at] == offsets[first]) continue;
      while (at < end && rows[at] == row + (at - first)) ++at;  // neighbours are copied together
      const int64_t from = texts.offsets[row], size = texts.offsets[row + (at - first)] - from;
      if (size != offsets[at] - offsets[first]) {  // missing texts that have bytes are among them
        at = first + 1;
        std::memcpy(out + offsets[first], texts.data + from, static_cast<size_t>(offsets[at] - offsets[first]));
      } else if (size <= 16 && from + 16 <= end_of_data && offsets[first] + 16 <= end_of_block) {
        std::memcpy(out + offsets[first], texts.data + from, 16);  // reaches into what the next ones overwrite
      } else {
        std::memcpy(out + offsets[first], texts.data + from, static_cast<size_t>(size));
      }
    }
    if (!valid) return;
    static_assert(gather_block % 8 == 0, "blocks begin at whole bytes of the bits");
    for (int64_t at = begin; at < end; at += 8) {
      uint8_t bits = 0;
      for (int64_t bit = 0; bit < std::min<int64_t>(8, end - at); ++bit)
        bits |= static_cast<uint8_t>((rows[at + bit] >= 0 && !texts.is_null(rows[at + bit])) << bit);
      valid[at / 8] = bits;
    }
  });
}

}  // namespace tessera::routines::frames
