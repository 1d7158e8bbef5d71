/// Rows by their groups: in the order of the groups, and numbered within them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/frames/codes.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

/// How many rows of each group are in each chunk of rows. There are as many chunks as repay their counts.
class ChunkCounts {
 public:
  /// A code of -1: in no group.
  ChunkCounts(const CodesView& codes, int64_t groups);

  int64_t chunks() const { return chunks_; }
  int64_t* of(int64_t chunk) { return counts_.data() + chunk * groups_; }
  /// Turns counts into places in the order of the groups; writes where each group starts, and in the end how many rows
  /// are in groups.
  void make_places(std::span<int64_t> starts);

  /// Calls body(chunk, begin, end) with each chunk's rows, on all threads.
  template <class Body>
  void over(Body&& body) const {
    const int64_t rows = codes_.size();
    const auto begin_of = [&](int64_t chunk) { return rows / chunks_ * chunk + std::min(chunk, rows % chunks_); };
    auto some = [&](int64_t from, int64_t to) {
      for (int64_t chunk = from; chunk < to; ++chunk) body(chunk, begin_of(chunk), begin_of(chunk + 1));
    };
    runtime::parallel_for(chunks_, 1, some);
  }

 private:
  CodesView codes_;
  int64_t groups_, chunks_ = 1;
  std::vector<int64_t> counts_;
};

/// Calls write(row, place) for each row that is in a group; places are in the order of the groups, within a group in
/// that of the rows. Group g has the places [starts[g], starts[g + 1]).
template <class Write>
void place_by_group(const CodesView& codes, std::span<int64_t> starts, Write&& write) {
  ChunkCounts counts(codes, static_cast<int64_t>(starts.size()) - 1);
  counts.make_places(starts);
  counts.over([&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t* next = counts.of(chunk);
    for (int64_t row = begin; row < end; ++row)
      if (codes[row] >= 0) write(row, next[codes[row]]++);
  });
}

/// The rows by their places. `starts` has a place more than there are groups.
void order_by_group(const CodesView& codes, std::span<int64_t> starts, std::span<int64_t> rows);

/// Writes how many rows each group has.
void count_by_group(const CodesView& codes, std::span<int64_t> counts);

/// Writes how many rows of its group stand before each row, or behind it. Rows in no group get 0.
void number_within_groups(const CodesView& codes, int64_t groups, bool from_end, std::span<int64_t> numbers);

}  // namespace tessera::routines::frames
