/// Rows of columns: taken by their numbers, or by a mask.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/texts.h"

namespace tessera::routines::frames {

/// Columns of elements of one size, 1, 2, 4 or 8 bytes, each with its elements next to each other.
struct ElementsView {
  const char* data = nullptr;
  int64_t itemsize = 8;
  int64_t columns = 1;
  int64_t rows = 0;
  int64_t column_stride = 0;  ///< in bytes
};

/// Writes element rows[i] of each column; `missing`, an element, for rows of -1. `out` has its columns one behind
/// another. Throws IndexError for a row that the columns don't have.
void gather_elements(const ElementsView& from, std::span<const int64_t> rows, const char* missing, char* out);

/// The numbers of the rows where the mask is true.
Buffer<int64_t> rows_where(std::span<const uint8_t> mask);
/// How many rows of each block of compress_block rows the mask takes.
inline constexpr int64_t compress_block = 1 << 15;
std::vector<int64_t> places_where(std::span<const uint8_t> mask);
/// Writes the elements where the mask is true; `places` is places_where(mask).
void compress_elements(const ElementsView& from, std::span<const uint8_t> mask, std::span<const int64_t> places,
                       char* out);

/// Offsets of the texts rows[i], one more than there are rows, from 0 on; a row of -1, or a missing text, has no bytes.
/// Throws IndexError for a row that there is not.
void gather_offsets(const TextsView& texts, std::span<const int64_t> rows, std::span<int64_t> offsets);
/// Their bytes. `valid` gets a bit each, and may be null where no text is missing.
void gather_texts(const TextsView& texts, std::span<const int64_t> rows, std::span<const int64_t> offsets, char* out,
                  uint8_t* valid);

}  // namespace tessera::routines::frames
