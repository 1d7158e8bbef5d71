/// Sums whose order is fixed by the number of terms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/runtime/host/threads.h"

namespace tessera::routines::networks {

/// In how many lanes n terms are added: each has up to 64.
inline int64_t lanes_of_sum(int64_t n) { return std::max<int64_t>(1, (n + 63) / 64); }

/// Adds up n values as their lanes are added: see ordered_sum.
template <class Value>
std::vector<double> sums_of_lanes(int64_t n, Value value) {
  const int64_t lanes = lanes_of_sum(n);
  std::vector<double> sums(lanes);
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t first = 0; first < n; first += lanes)
      for (int64_t k = begin; k < std::min(end, n - first); ++k) sums[k] += value(first + k);
  };
  runtime::parallel_for(lanes, 512, body);
  return sums;
}

/// Sums value(i) over [0, n): lane k of L adds k, k + L, k + 2 L, ...; the lanes' sums are added up alike until one is
/// left. So the result does not depend on the number of threads.
template <class Value>
double ordered_sum(int64_t n, Value value) {
  std::vector<double> sums = sums_of_lanes(n, value);
  while (sums.size() > 1) sums = sums_of_lanes(static_cast<int64_t>(sums.size()), [&](int64_t k) { return sums[k]; });
  return sums[0];
}

}  // namespace tessera::routines::networks
