/// Counts of integers in device memory, for the routines that need them.
#pragma once

#include <algorithm>

#include "tessera/routines/bins/kernels.h"
#include "tessera/routines/launcher.h"

namespace tessera::routines {

/// n elements split into chunks, one per block of threads.
struct BinChunks {
  int64_t size, count;
  explicit BinChunks(int64_t n) : size(std::max<int64_t>(1 << 13, (n + 2047) / 2048)), count((n + size - 1) / size) {}
  Dims extents() const { return {count, bins_threads}; }
};

/// counts[x[k]] += 1 (int64) for n integers (int64) in range.
void count_bins(Launcher& launcher, const char* x, int64_t n, const char* counts, int64_t bins);

}  // namespace tessera::routines
