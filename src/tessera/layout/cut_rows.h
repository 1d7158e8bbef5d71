/// Where an array's rows are cut into parts of about one length, by the rows alone, so that whoever cuts them cuts at
/// the same ones.
#pragma once

#include <cstdint>

namespace tessera {

/// Of how many rows each part but the last should be a multiple.
inline int64_t rows_together(int64_t rows_a_part) {
  constexpr int64_t leaf = 8192;       // rows that are reduced together
  constexpr int64_t line = 16;         // rows of numbers that begin at a boundary of wide accesses
  constexpr int64_t unbalanced = 100;  // 1%: one part in so many
  if (rows_a_part >= unbalanced * leaf) return leaf;
  return rows_a_part >= unbalanced * line ? line : 1;
}

/// The first row of the part; `rows` for the one behind the last.
inline int64_t first_row(int64_t rows, int64_t part, int64_t parts) {
  if (part >= parts) return rows;
  const int64_t together = rows_together(rows / parts);
  return (rows * part / parts + together / 2) / together * together;
}

}  // namespace tessera
