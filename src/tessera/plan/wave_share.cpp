#include <algorithm>
#include <optional>

#include "tessera/plan/wave.h"

namespace tessera::plan {

namespace {

int64_t rows_of(const Wave& wave) {
  int64_t rows = 0;
  for (const WavePart& part : wave.parts) rows = std::max(rows, part.rows + part.origin);
  return rows;
}

/// For each part, the rows between `begin` and `end` in memory that depend only on rows of the same share.
WaveShare share_between(const Wave& wave, int64_t begin, int64_t end, bool is_first, bool is_last) {
  WaveShare share;
  for (const WavePart& part : wave.parts) {
    WaveRows rows{is_first ? 0 : std::clamp<int64_t>(begin - part.origin, 0, part.rows),
                  is_last ? part.rows : std::clamp<int64_t>(end - part.origin, 0, part.rows)};
    for (const WaveOrder& order : part.after) {
      const WaveRows& before = share[order.part];
      if (before.begin > 0) rows.begin = std::max(rows.begin, before.begin - order.first);
      if (before.end < wave.parts[order.part].rows) rows.end = std::min(rows.end, before.end - order.last);
    }
    rows.begin = std::min(rows.begin, part.rows);
    rows.end = std::max<int64_t>(rows.end, 0);
    share.push_back(rows);
  }
  return share;
}

std::optional<WaveShares> try_share(const Wave& wave, int count) {
  const int64_t rows = rows_of(wave);
  WaveShares shares;
  for (int c = 0; c < count; ++c) {
    WaveShare share = share_between(wave, rows * c / count, rows * (c + 1) / count, c == 0, c + 1 == count);
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

WaveShares share_wave(const Wave& wave, int threads) {
  for (int count = threads; count > 1; --count) {
    if (auto shares = try_share(wave, count)) return *std::move(shares);
  }
  return *try_share(wave, 1);
}

}  // namespace tessera::plan
