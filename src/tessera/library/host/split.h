/// split: partitions a range around a pivot without unpredictable branches.
#pragma once

#include <cstdint>
#include <utility>

namespace tessera::library {

/// Moves the elements less than pivot to the front and returns their number.
template <class T>
int64_t split_less(T* data, int64_t n, T pivot) {
  int64_t count = 0;
  for (int64_t k = 0; k < n; ++k) {
    T value = data[k];
    data[k] = data[count];
    data[count] = value;
    count += value < pivot;
  }
  return count;
}

}  // namespace tessera::library
