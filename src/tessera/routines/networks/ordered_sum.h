/// Sums whose order is fixed by the number of terms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/runtime/host/threads.h"

namespace tessera::routines::networks {

/// Sums value(i) over [0, n) in blocks of fixed size, so that the result does not depend on the number of threads.
template <class Value>
double ordered_sum(int64_t n, Value value) {
  constexpr int64_t block = 4096;
  const int64_t blocks = (n + block - 1) / block;
  std::vector<double> sums(blocks);
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      double sum = 0;
      for (int64_t i = b * block; i < std::min(n, (b + 1) * block); ++i) sum += value(i);
      sums[b] = sum;
    }
  };
  runtime::parallel_for(blocks, 4, body);
  double total = 0;
  for (double sum : sums) total += sum;
  return total;
}

}  // namespace tessera::routines::networks
