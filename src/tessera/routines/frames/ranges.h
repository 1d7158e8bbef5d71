/// Ranges of keys: which numbers there are, how long texts are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tessera/routines/frames/texts.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {

/// The least and largest of keys that are not missing.
template <class T>
struct Range {
  T least = std::numeric_limits<T>::max(), largest = std::numeric_limits<T>::min();

  void add(T value) {
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  bool is_empty() const { return least > largest; }
  uint64_t width() const { return is_empty() ? 0 : static_cast<uint64_t>(largest) - static_cast<uint64_t>(least); }
};

/// `is_present(value)`: whether it counts.
template <class T, class IsPresent>
Range<T> range_of(std::span<const T> values, IsPresent&& is_present) {
  constexpr int64_t block = 1 << 16;
  const int64_t n = static_cast<int64_t>(values.size()), blocks = (n + block - 1) / block;
  std::vector<Range<T>> found(blocks);
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      Range<T> range;
      for (int64_t row = b * block; row < std::min(n, (b + 1) * block); ++row)
        if (is_present(values[row])) range.add(values[row]);
      found[b] = range;
    }
  };
  runtime::parallel_for(blocks, 1, body);
  Range<T> all;
  for (const Range<T>& range : found) {
    all.least = std::min(all.least, range.least);
    all.largest = std::max(all.largest, range.largest);
  }
  return all;
}

inline int64_t longest_of(const TextsView& texts) {
  std::atomic<int64_t> longest = 0;
  auto body = [&](int64_t begin, int64_t end) {
    int64_t here = 0;
    for (int64_t row = begin; row < end; ++row) here = std::max(here, texts.offsets[row + 1] - texts.offsets[row]);
    for (int64_t known = longest; known < here && !longest.compare_exchange_weak(known, here);) {
    }
  };
  runtime::parallel_for(texts.size(), 1 << 16, body);
  return longest;
}

/// Whether a table with a place for each value in the range is worth its memory.
inline bool is_dense(uint64_t width, int64_t rows) { return width < std::clamp<uint64_t>(rows / 8, 1 << 12, 1 << 30); }

}  // namespace tessera::routines::frames
