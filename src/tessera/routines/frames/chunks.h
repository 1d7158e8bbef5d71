/// reduce_chunks: the states of all groups, reduced in chunks of rows that are joined in order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

/// Large enough that the states of all chunks take less memory than the rows.
inline int64_t chunk_rows(int64_t groups) {
  return std::max<int64_t>(int64_t{1} << 18, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(8 * groups))));
}

/// add(state, row) for each row that has a group, then finish(state, group) with what the chunks gave together. Results
/// do not depend on the number of threads.
template <class State, class Add, class Finish>
void reduce_chunks(std::span<const int64_t> codes, int64_t groups, Add&& add, Finish&& finish) {
  const int64_t rows = static_cast<int64_t>(codes.size()), chunk = chunk_rows(groups);
  const int64_t chunks = std::max<int64_t>(1, (rows + chunk - 1) / chunk);
  std::vector<State> states(chunks * groups);
  auto gather = [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      State* own = states.data() + c * groups;
      for (int64_t row = c * chunk; row < std::min(rows, (c + 1) * chunk); ++row)
        if (codes[row] >= 0) add(own[codes[row]], row);
    }
  };
  runtime::parallel_for(chunks, 1, gather);
  auto join = [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      State& all = states[group];
      for (int64_t c = 1; c < chunks; ++c) all.join(states[c * groups + group]);
      finish(all, group);
    }
  };
  runtime::parallel_for(groups, 1 << 12, join);
}

}  // namespace tessera::routines::frames
