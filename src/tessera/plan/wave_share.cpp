#include <algorithm>
#include <limits>
#include <optional>

#include "tessera/plan/wave.h"

namespace tessera::plan {

namespace {

/// Positions in memory, as rows of the wave. Parts that start with their first row start at position 0.
WaveRows range_of(const Wave& wave, std::span<const WaveRows> rows) {
  WaveRows range{std::numeric_limits<int64_t>::max(), 0};
  for (size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].begin >= rows[k].end) continue;
    range.begin = std::min(range.begin, rows[k].begin > 0 ? rows[k].begin + wave.parts[k].origin : 0);
    range.end = std::max(range.end, rows[k].end + wave.parts[k].origin);
  }
  return {std::min(range.begin, range.end), range.end};
}

/// For each part, the rows between `begin` and `end` in memory that depend only on rows of the same share.
WaveShare share_between(const Wave& wave, std::span<const WaveRows> all, int64_t begin, int64_t end, bool is_first,
                        bool is_last) {
  WaveShare share;
  for (size_t k = 0; k < all.size(); ++k) {
    const WavePart& part = wave.parts[k];
    WaveRows rows{is_first ? all[k].begin : std::clamp(begin - part.origin, all[k].begin, all[k].end),
                  is_last ? all[k].end : std::clamp(end - part.origin, all[k].begin, all[k].end)};
    for (const WaveOrder& order : part.after) {
      const WaveRows &before = share[order.part], &its = all[order.part];
      if (before.begin > its.begin) rows.begin = std::max(rows.begin, before.begin - order.first);
      if (before.end < its.end) rows.end = std::min(rows.end, before.end - order.last);
    }
    rows.begin = std::min(rows.begin, all[k].end);
    rows.end = std::max(rows.end, all[k].begin);
    share.push_back(rows);
  }
  return share;
}

std::optional<WaveShares> try_share(const Wave& wave, std::span<const WaveRows> all, int count) {
  const WaveRows range = range_of(wave, all);
  const int64_t rows = range.end - range.begin;
  WaveShares shares;
  for (int c = 0; c < count; ++c) {
    WaveShare share = share_between(wave, all, range.begin + rows * c / count, range.begin + rows * (c + 1) / count,
                                    c == 0, c + 1 == count);
    const bool too_thin =
        std::any_of(share.begin(), share.end(), [](const WaveRows& rows) { return rows.begin > rows.end; });
    if (too_thin) return {};
    shares.apart.push_back(std::move(share));
  }
  for (int c = 0; c + 1 < count; ++c) {
    WaveShare seam;
    for (size_t k = 0; k < wave.parts.size(); ++k)
      seam.push_back({shares.apart[c][k].end, shares.apart[c + 1][k].begin});
    shares.seams.push_back(std::move(seam));
  }
  return shares;
}

}  // namespace

WaveShares share_wave(const Wave& wave, int threads, std::span<const WaveRows> rows) {
  std::vector<WaveRows> all(rows.begin(), rows.end());
  if (all.empty())
    for (const WavePart& part : wave.parts) all.push_back({0, part.rows});
  for (int count = threads; count > 1; --count) {
    if (auto shares = try_share(wave, all, count)) return *std::move(shares);
  }
  return *try_share(wave, all, 1);
}

}  // namespace tessera::plan
