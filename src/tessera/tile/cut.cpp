#include "tessera/tile/cut.h"

#include "tessera/layout/cut_rows.h"

namespace tessera::tile {

std::vector<Range> cut_evenly(int64_t nbytes, int64_t row, int places) {
  const int64_t rows = row > 0 ? nbytes / row : 0;
  std::vector<Range> parts;
  for (int64_t place = 0, begin = 0; place < places; ++place) {
    const int64_t end = place + 1 == places ? nbytes : std::min(first_row(rows, place + 1, places) * row, nbytes);
    parts.push_back({begin, end});
    begin = end;
  }
  return parts;
}

}  // namespace tessera::tile
