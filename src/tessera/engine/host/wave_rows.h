/// What rows of a wave's parts are, and an order in which a thread may run them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tessera/plan/wave.h"

namespace tessera::engine {

/// The rows of a box, as a box.
inline plan::ByteBox box_rows(const plan::ByteBox& box, const plan::WavePart& part, const plan::WaveRows& rows) {
  plan::ByteBox result = box;
  if (part.axis >= 0) {
    result.offset += rows.begin * box.strides[part.axis];
    result.counts[part.axis] = rows.end - rows.begin;
  } else if (part.rows > 1) {
    result.offset += rows.begin * part.unit;
    result.nbytes = std::min(box.nbytes, rows.end * part.unit) - rows.begin * part.unit;
  }
  return result;
}

/// The rows of a kernel, as indices of its outermost axis.
inline plan::WaveRows index_range(int64_t extent, const plan::WavePart& part, const plan::WaveRows& rows) {
  const plan::WaveRows range{rows.begin * part.unit, std::min(extent, rows.end * part.unit)};
  return part.backwards ? plan::WaveRows{extent - range.end, extent - range.begin} : range;
}

/// Calls visit(part, rows) in an order that respects the dependencies between parts.
void march(const plan::Wave& wave, const plan::WaveShare& share, auto visit) {
  int64_t begin = std::numeric_limits<int64_t>::max(), end = std::numeric_limits<int64_t>::min();
  for (size_t p = 0; p < share.size(); ++p) {
    if (share[p].begin >= share[p].end) continue;
    begin = std::min(begin, share[p].begin + wave.parts[p].start);
    end = std::max(end, share[p].end + wave.parts[p].start);
  }
  for (int64_t at = begin; at < end; at += wave.rows_at_once) {
    for (size_t p = 0; p < share.size(); ++p) {
      const int64_t first = at - wave.parts[p].start;
      const plan::WaveRows rows{std::max(share[p].begin, first), std::min(share[p].end, first + wave.rows_at_once)};
      if (rows.begin < rows.end) visit(p, rows);
    }
  }
}

}  // namespace tessera::engine
