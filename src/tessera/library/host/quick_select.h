/// quick_select: the k-th smallest of unsigned integers, with pivots from samples near the wanted place.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tessera/library/host/split.h"

namespace tessera::library {

/// Reorders data so that data[place] is what a sort would put there, nothing larger before it, nothing smaller after.
/// Every round keeps the part between two sampled pivots (Floyd and Rivest's idea), so about two passes do.
template <class T>
void quick_select(T* data, int64_t n, int64_t place) {
  constexpr int64_t sample_size = 1024, small = 4 * sample_size;
  int64_t begin = 0, end = n;
  for (int round = 0; end - begin > small && round < 64; ++round) {
    int64_t length = end - begin;
    T sample[sample_size];
    for (int64_t k = 0; k < sample_size; ++k) sample[k] = data[begin + k * (length - 1) / (sample_size - 1)];
    std::sort(sample, sample + sample_size);
    double expected = static_cast<double>(place - begin) / static_cast<double>(length) * sample_size;
    auto low_at = static_cast<int64_t>(expected) - 48, high_at = static_cast<int64_t>(expected) + 48;
    if (low_at > 0) {
      int64_t less = split_less(data + begin, length, sample[low_at]);
      if (place < begin + less) {
        end = begin + less;
        continue;
      }
      begin += less;
    }
    if (high_at < sample_size - 1) {
      T high = sample[high_at];
      int64_t less = split_less(data + begin, end - begin, high);
      if (place < begin + less) {
        end = begin + less;
        continue;
      }
      begin += less;
    }
    if (end - begin > length - length / 4) {
      // Many equal elements: part off those equal to the pivot that was meant to be below.
      T pivot = *std::min_element(data + begin, data + end);
      if (pivot == static_cast<T>(~T{0})) return;
      int64_t equal = split_less(data + begin, end - begin, static_cast<T>(pivot + 1));
      if (place < begin + equal) return;
      begin += equal;
    }
  }
  std::nth_element(data + begin, data + place, data + end);
}

}  // namespace tessera::library
