#include "tessera/tile/cut.h"

namespace tessera::tile {

namespace {

constexpr int64_t leaf = 8192;       // rows that are reduced together
constexpr int64_t line = 16;         // rows of numbers that begin at a boundary of wide accesses
constexpr int64_t unbalanced = 100;  // 1%: one part in so many

/// Of how many rows each part should be a multiple.
int64_t rows_together(int64_t rows_a_place) {
  if (rows_a_place >= unbalanced * leaf) return leaf;
  return rows_a_place >= unbalanced * line ? line : 1;
}

}  // namespace

std::vector<Range> cut_evenly(int64_t nbytes, int64_t row, int places) {
  const int64_t rows = row > 0 ? nbytes / row : 0, together = rows_together(rows / places);
  std::vector<Range> parts;
  for (int64_t place = 0, begin = 0; place < places; ++place) {
    const int64_t next = (rows * (place + 1) / places + together / 2) / together * together;
    const int64_t end = place + 1 == places ? nbytes : std::min(next * row, nbytes);
    parts.push_back({begin, end});
    begin = end;
  }
  return parts;
}

}  // namespace tessera::tile
