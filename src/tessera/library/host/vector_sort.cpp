#include "tessera/library/host/vector_sort.h"

#if TESSERA_HIGHWAY_SORT
#include <hwy/contrib/sort/vqsort.h>
#endif

#include <algorithm>
#include <limits>
#include <vector>

#include "tessera/library/host/split.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

namespace {

constexpr int64_t small_size = 24;
constexpr int64_t parallel_size = int64_t{1} << 16;

template <class T>
void insertion_sort(T* data, int64_t n) {
  for (int64_t k = 1; k < n; ++k) {
    T value = data[k];
    int64_t at = k;
    for (; at > 0 && value < data[at - 1]; --at) data[at] = data[at - 1];
    data[at] = value;
  }
}

/// Converts between the bits of floats and integers of the same order, in both directions.
template <class Bits>
[[maybe_unused]] void flip_negatives(Bits* bits, int64_t n) {
  for (int64_t k = 0; k < n; ++k) bits[k] ^= (bits[k] >> (8 * sizeof(Bits) - 1)) & std::numeric_limits<Bits>::max();
}

/// The median of a sample; a value that occurs in the range.
template <class T>
T choose_pivot(const T* data, int64_t n) {
  constexpr int64_t sample_size = 255;
  T sample[sample_size];
  for (int64_t k = 0; k < sample_size; ++k) sample[k] = data[k * (n - 1) / (sample_size - 1)];
  std::nth_element(sample, sample + sample_size / 2, sample + sample_size);
  return sample[sample_size / 2];
}

struct Part {
  int64_t begin, end;
};

}  // namespace

template <Sortable T>
void sort_numbers(T* data, int64_t n) {
  if (n <= small_size) return insertion_sort(data, n);
#if TESSERA_HIGHWAY_SORT
  static thread_local const hwy::Sorter sorter;
  if constexpr (std::is_floating_point_v<T>) {
    // Sorted as integers of the same order: Highway 1.0 replaces infinities among floats by the largest finite number.
    using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    auto* bits = reinterpret_cast<Bits*>(data);
    flip_negatives(bits, n);
    sorter(bits, static_cast<size_t>(n), hwy::SortAscending());
    return flip_negatives(bits, n);
  } else if constexpr (sizeof(T) >= 2) {
    return sorter(data, static_cast<size_t>(n), hwy::SortAscending());
  }
#endif
  std::sort(data, data + n);
}

template <Sortable T>
void sort_numbers_in_parallel(T* data, int64_t n) {
  int threads = runtime::thread_count();
  if (threads == 1 || n < parallel_size) return sort_numbers(data, n);
  std::vector<Part> parts{{0, n}};
  while (parts.size() < 2 * static_cast<size_t>(threads)) {
    std::vector<Part> next(2 * parts.size());
    auto cut = [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        Part part = parts[k];
        int64_t length = part.end - part.begin, less = 0;
        if (length >= parallel_size / 4)
          less = split_less(data + part.begin, length, choose_pivot(data + part.begin, length));
        next[2 * k] = {part.begin, part.begin + less};
        next[2 * k + 1] = {part.begin + less, part.end};
      }
    };
    runtime::parallel_for(static_cast<int64_t>(parts.size()), 1, cut);
    parts = std::move(next);
  }
  auto sort_parts = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) sort_numbers(data + parts[k].begin, parts[k].end - parts[k].begin);
  };
  runtime::parallel_for(static_cast<int64_t>(parts.size()), 1, sort_parts);
}

template void sort_numbers(int8_t*, int64_t);
template void sort_numbers(uint8_t*, int64_t);
template void sort_numbers(int16_t*, int64_t);
template void sort_numbers(uint16_t*, int64_t);
template void sort_numbers(int32_t*, int64_t);
template void sort_numbers(uint32_t*, int64_t);
template void sort_numbers(int64_t*, int64_t);
template void sort_numbers(uint64_t*, int64_t);
template void sort_numbers(float*, int64_t);
template void sort_numbers(double*, int64_t);
template void sort_numbers_in_parallel(int8_t*, int64_t);
template void sort_numbers_in_parallel(uint8_t*, int64_t);
template void sort_numbers_in_parallel(int16_t*, int64_t);
template void sort_numbers_in_parallel(uint16_t*, int64_t);
template void sort_numbers_in_parallel(int32_t*, int64_t);
template void sort_numbers_in_parallel(uint32_t*, int64_t);
template void sort_numbers_in_parallel(int64_t*, int64_t);
template void sort_numbers_in_parallel(uint64_t*, int64_t);
template void sort_numbers_in_parallel(float*, int64_t);
template void sort_numbers_in_parallel(double*, int64_t);

}  // namespace tessera::library
