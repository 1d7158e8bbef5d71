#include "tessera/routines/frames/groups.h"

#include <utility>

namespace tessera::routines::frames {

ChunkCounts::ChunkCounts(const CodesView& codes, int64_t groups) : codes_(codes), groups_(groups) {
  const int64_t rows = codes.size();
  const int64_t most = std::min<int64_t>(rows >> 16, rows / std::max<int64_t>(1, 4 * groups));
  chunks_ = std::clamp<int64_t>(most, 1, 2 * runtime::thread_count());
  counts_.resize(chunks_ * groups);
  over([&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t* own = of(chunk);
    for (int64_t row = begin; row < end; ++row)
      if (codes_[row] >= 0) ++own[codes_[row]];
  });
}

void ChunkCounts::make_places(std::span<int64_t> starts) {
  int64_t total = 0;
  for (int64_t group = 0; group < groups_; ++group) {
    starts[group] = total;
    for (int64_t chunk = 0; chunk < chunks_; ++chunk) total += std::exchange(of(chunk)[group], total);
  }
  starts[groups_] = total;
}

void order_by_group(const CodesView& codes, std::span<int64_t> starts, std::span<int64_t> rows) {
  place_by_group(codes, starts, [&](int64_t row, int64_t place) { rows[place] = row; });
}

void count_by_group(const CodesView& codes, std::span<int64_t> counts) {
  const int64_t groups = static_cast<int64_t>(counts.size());
  ChunkCounts chunks(codes, groups);
  auto add_up = [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      counts[group] = 0;
      for (int64_t chunk = 0; chunk < chunks.chunks(); ++chunk) counts[group] += chunks.of(chunk)[group];
    }
  };
  runtime::parallel_for(groups, 1 << 14, add_up);
}

void number_within_groups(const CodesView& codes, int64_t groups, bool from_end, std::span<int64_t> numbers) {
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
