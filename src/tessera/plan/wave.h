/// Waves: which consecutive steps of a plan may run together, a few rows at a time, and how threads share them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/plan/plan.h"

namespace tessera::plan {

/// Adds to the plan the waves that reduce memory traffic: steps that touch more bytes than the caches hold and reuse
/// each other's bytes. `wave_bytes` is the cache that one thread's part may use. Kernels in a wave use no non-temporal
/// stores for memory that other parts touch.
void find_waves(Plan& plan, int64_t wave_bytes);

/// Rows [begin, end) of one part of a wave.
struct WaveRows {
  int64_t begin = 0;
  int64_t end = 0;
};
using WaveShare = std::vector<WaveRows>;

/// A wave divided among `threads`. The shares of `apart` are independent of each other; those of `seams` lie between
/// them, are independent of each other too, and run after all of `apart`. With too few rows there are fewer shares.
/// `rows`: those that run, by part; empty: all.
struct WaveShares {
  std::vector<WaveShare> apart;
  std::vector<WaveShare> seams;
};
WaveShares share_wave(const Wave& wave, int threads, std::span<const WaveRows> rows = {});

}  // namespace tessera::plan
