#include "tessera/routines/frames/groups.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

namespace {

/// How many rows of each group are in each chunk of rows. There are as many chunks as repay their counts.
class ChunkCounts {
 public:
  ChunkCounts(std::span<const int64_t> codes, int64_t groups) : codes_(codes), groups_(groups) {
    const int64_t rows = static_cast<int64_t>(codes.size());
    const int64_t most = std::min<int64_t>(rows >> 16, rows / std::max<int64_t>(1, 4 * groups));
    chunks_ = std::clamp<int64_t>(most, 1, 2 * runtime::thread_count());
    counts_.resize(chunks_ * groups);
    over([&](int64_t chunk, int64_t begin, int64_t end) {
      int64_t* own = of(chunk);
      for (int64_t row = begin; row < end; ++row)
        if (codes_[row] >= 0) ++own[codes_[row]];
    });
  }

  int64_t chunks() const { return chunks_; }
  int64_t* of(int64_t chunk) { return counts_.data() + chunk * groups_; }

  /// Calls body(chunk, begin, end) with each chunk's rows, on all threads.
  template <class Body>
  void over(Body&& body) const {
    const int64_t rows = static_cast<int64_t>(codes_.size());
    const auto begin_of = [&](int64_t chunk) { return rows / chunks_ * chunk + std::min(chunk, rows % chunks_); };
    auto some = [&](int64_t from, int64_t to) {
      for (int64_t chunk = from; chunk < to; ++chunk) body(chunk, begin_of(chunk), begin_of(chunk + 1));
    };
    runtime::parallel_for(chunks_, 1, some);
  }

 private:
  std::span<const int64_t> codes_;
  int64_t groups_, chunks_ = 1;
  std::vector<int64_t> counts_;
};

}  // namespace

void order_by_group(std::span<const int64_t> codes, std::span<int64_t> starts, std::span<int64_t> rows) {
  const int64_t groups = static_cast<int64_t>(starts.size()) - 1;
  ChunkCounts counts(codes, groups);
  int64_t total = 0;
  for (int64_t group = 0; group < groups; ++group) {
    starts[group] = total;
    for (int64_t chunk = 0; chunk < counts.chunks(); ++chunk) {
      const int64_t here = counts.of(chunk)[group];
      counts.of(chunk)[group] = total;
      total += here;
    }
  }
  starts[groups] = total;
  counts.over([&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t* next = counts.of(chunk);
    for (int64_t row = begin; row < end; ++row)
      if (codes[row] >= 0) rows[next[codes[row]]++] = row;
  });
}

void number_within_groups(std::span<const int64_t> codes, int64_t groups, bool from_end, std::span<int64_t> numbers) {
  ChunkCounts counts(codes, groups);
  for (int64_t group = 0; group < groups; ++group) {
    int64_t total = 0;
    for (int64_t at = 0; at < counts.chunks(); ++at) {
      int64_t& count = counts.of(from_end ? counts.chunks() - 1 - at : at)[group];
      total += std::exchange(count, total);
    }
  }
  counts.over([&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t* next = counts.of(chunk);
    for (int64_t at = begin; at < end; ++at) {
      const int64_t row = from_end ? begin + end - 1 - at : at;
      numbers[row] = codes[row] < 0 ? 0 : next[codes[row]]++;
    }
  });
}

}  // namespace tessera::routines::frames
