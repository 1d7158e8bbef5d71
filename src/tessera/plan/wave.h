/// Waves: which consecutive steps of a plan may be done together, a few rows at a time, and how threads share one.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/plan/plan.h"

namespace tessera::plan {

/// Adds the waves worth having to the plan: steps that move more than the caches hold and find again what they left
/// there. `wave_bytes` is what one thread's part may keep in use. Kernels in a wave no longer store past the caches.
void find_waves(Plan& plan, int64_t wave_bytes);

/// Rows [begin, end) of each part of a wave.
struct WaveRows {
  int64_t begin = 0;
  int64_t end = 0;
};
using WaveShare = std::vector<WaveRows>;

/// A wave cut for `threads`: the shares of `apart` need nothing of each other; those of `seams` lie between them, need
/// nothing of each other either and come after all of `apart`. Where rows do not suffice there are fewer shares.
struct WaveShares {
  std::vector<WaveShare> apart;
  std::vector<WaveShare> seams;
};
WaveShares share_wave(const Wave& wave, int threads);

}  // namespace tessera::plan
