#include <algorithm>
#include <mutex>
#include <vector>

#include "tessera/library/host/rows.h"
#include "tessera/library/host/search.h"

namespace tessera::library {

namespace {
/// Larger tables are counted by one thread: a copy per thread would cost more than it saves.
constexpr int64_t shared_bins = 1 << 16;
}  // namespace

Extremes find_extremes(const int64_t* values, int64_t n) {
  Extremes all{values[0], values[0]};
  std::mutex mutex;
  auto piece = [&](int64_t begin, int64_t end) {
    int64_t low = values[begin], high = low;
    for (int64_t k = begin; k < end; ++k) {
      low = std::min(low, values[k]);
      high = std::max(high, values[k]);
    }
    std::lock_guard lock(mutex);
    all.low = std::min(all.low, low);
    all.high = std::max(all.high, high);
  };
  runtime::parallel_for(n, grain_for(8), piece);
  return all;
}

void count_bins(const int64_t* values, int64_t n, int64_t* bins, int64_t bin_count) {
  if (bin_count > shared_bins || n < 4 * bin_count) {
    for (int64_t k = 0; k < n; ++k) ++bins[values[k]];
    return;
  }
  std::mutex mutex;
  auto piece = [&](int64_t begin, int64_t end) {
    // Two alternating tables: for runs of one value, an increment does not wait for the previous store.
    std::vector<int64_t> own(2 * bin_count, 0);
    int64_t k = begin;
    for (; k + 1 < end; k += 2) {
      ++own[values[k]];
      ++own[bin_count + values[k + 1]];
    }
    if (k < end) ++own[values[k]];
    std::lock_guard lock(mutex);
    for (int64_t bin = 0; bin < bin_count; ++bin) bins[bin] += own[bin] + own[bin_count + bin];
  };
  runtime::parallel_for(n, std::max<int64_t>(grain_for(8), 4 * bin_count), piece);
}

void weigh_bins(const int64_t* values, const double* weights, int64_t n, double* bins, int64_t bin_count) {
  for (int64_t k = 0; k < n; ++k) bins[values[k]] += weights[k];
}

}  // namespace tessera::library
