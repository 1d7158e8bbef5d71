
#include <algorithm>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/base/mutex.h"
#include "tessera/layout/element_cast.h"
#include "tessera/library/host/rows.h"
#include "tessera/library/host/search.h"

namespace tessera::library {

namespace {
/// Larger tables are counted by one thread: a copy per thread would cost more than it saves.
constexpr int64_t shared_bins = 1 << 16;

template <class T>
Extremes extremes_of(const T* values, int64_t n) {
  Extremes all{INT64_MAX, INT64_MIN};
  Mutex mutex;
  auto piece = [&](int64_t begin, int64_t end) {
    T low = values[begin], high = low;
    for (int64_t k = begin; k < end; ++k) {
      const T value = values[k];  // by value: selects instead of branches
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    std::lock_guard lock(mutex);
    all.low = std::min(all.low, static_cast<int64_t>(low));
    all.high = std::max(all.high, static_cast<int64_t>(high));
  };
  runtime::parallel_for(n, grain_for(sizeof(T)), piece);
  return all;
}

}  // namespace

Extremes find_extremes(const char* values, DType dtype, int64_t n) {
  if (dtype == DType::uint64) dtype = DType::int64;  // values of 2^63 and more wrap
  if (is_boolean(dtype)) dtype = DType::uint8;
  return visit_dtype(dtype, [&]<class T>(T) -> Extremes {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return extremes_of(reinterpret_cast<const T*>(values), n);
    else
      throw TypeError("find_extremes: expected integers");
  });
}

void count_bins(const int64_t* values, int64_t n, int64_t* bins, int64_t bin_count) {
  if (bin_count > shared_bins || n < 4 * bin_count) {
    for (int64_t k = 0; k < n; ++k) ++bins[values[k]];
    return;
  }
  Mutex mutex;
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
