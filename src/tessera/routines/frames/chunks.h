/// reduce_chunks: the states of all groups, reduced in chunks of rows that are joined in order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/codes.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

/// Large enough that the states of all chunks take less memory than the rows.
inline int64_t chunk_rows(int64_t groups) {
  return std::max<int64_t>(int64_t{1} << 18, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(8 * groups))));
}

/// The same for states that give the same result however rows are cut: fewer chunks where there are many groups.
inline int64_t free_chunk_rows(int64_t rows, int64_t groups) {
  const int64_t share = (rows + runtime::thread_count() - 1) / std::max(1, runtime::thread_count());
  return std::max<int64_t>({1, std::min(share, chunk_rows(groups)), groups < (1 << 10) ? 0 : share});
}

inline constexpr int64_t reduce_block = 1 << 10;  // rows that are read together

/// add(states, codes, begin, end) for blocks of rows, with their codes; then finish(state, group) with what the chunks
/// gave together. Results do not depend on the number of threads, if those of `chunk` rows don't.
template <class State, class Add, class Finish>
void reduce_chunks(const CodesView& codes, int64_t groups, int64_t chunk, Add&& add, Finish&& finish) {
  const int64_t rows = codes.size();
  const int64_t chunks = std::max<int64_t>(1, (rows + chunk - 1) / chunk);
  const Buffer<State> states(chunks * groups);
  auto gather = [&](int64_t begin, int64_t end) {
    int64_t block[reduce_block];
    for (int64_t c = begin; c < end; ++c) {
      State* own = states.data() + c * groups;
      std::uninitialized_fill_n(own, groups, State{});
      const int64_t last = std::min(rows, (c + 1) * chunk);
      for (int64_t from = c * chunk; from < last; from += reduce_block) {
        const int64_t to = std::min(last, from + reduce_block);
        add(own, codes.read(from, to, block), from, to);
      }
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
