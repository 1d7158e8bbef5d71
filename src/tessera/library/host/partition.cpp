#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "tessera/library/host/quick_select.h"
#include "tessera/library/host/rows.h"
#include "tessera/library/host/sort.h"
#include "tessera/library/host/sort_keys.h"

namespace tessera::library {

namespace {

/// With many places a sort is as quick.
constexpr size_t most_places = 8;

/// Keys that the sorted row has at `places`.
template <class T>
std::vector<UnsignedOf<sizeof(T)>> find_pivots(const T* row, int64_t n, std::span<const int64_t> places) {
  using Key = UnsignedOf<sizeof(T)>;
  auto keys = std::make_unique_for_overwrite<Key[]>(n);
  for (int64_t k = 0; k < n; ++k) keys[k] = sort_key(row[k]);
  std::vector<Key> pivots;
  int64_t begin = 0;
  for (int64_t place : places) {
    quick_select(keys.get() + begin, n - begin, place - begin);
    pivots.push_back(keys[place]);
    begin = place;
  }
  return pivots;
}

/// Calls put(position, index) for each element: those below the first pivot, equal to it, between it and the next...
/// in order of index within each group.
template <class T, class Put>
void distribute(const T* row, int64_t n, std::span<const UnsignedOf<sizeof(T)>> pivots, Put&& put) {
  using Key = UnsignedOf<sizeof(T)>;
  int64_t next[2 * most_places + 2] = {};
  auto group = [&](Key key) {
    int g = 0;
    for (Key pivot : pivots) g += (key >= pivot) + (key > pivot);
    return g;
  };
  for (int64_t k = 0; k < n; ++k) ++next[group(sort_key(row[k])) + 1];
  std::partial_sum(next, next + 2 * pivots.size() + 2, next);
  for (int64_t k = 0; k < n; ++k) put(next[group(sort_key(row[k]))]++, k);
}

template <class T>
std::vector<UnsignedOf<sizeof(T)>> distinct(std::vector<UnsignedOf<sizeof(T)>> pivots) {
  pivots.erase(std::unique(pivots.begin(), pivots.end()), pivots.end());
  return pivots;
}

template <class T>
void partition_row(const T* row, int64_t n, std::span<const int64_t> places, T* out) {
  if constexpr (has_sort_key<T>) {
    auto pivots = distinct<T>(find_pivots(row, n, places));
    distribute<T>(row, n, pivots, [&](int64_t at, int64_t k) { out[at] = row[k]; });
  }
}

template <class T>
void argpartition_row(const T* row, int64_t n, std::span<const int64_t> places, int64_t* order) {
  if constexpr (has_sort_key<T>) {
    auto pivots = distinct<T>(find_pivots(row, n, places));
    distribute<T>(row, n, pivots, [&](int64_t at, int64_t k) { order[at] = k; });
  }
}

bool wants_sort(DType dtype, int64_t n, std::span<const int64_t> places) {
  return is_complex(dtype) || places.size() > most_places || n <= 32;
}

}  // namespace

void partition_rows(const char* data, DType dtype, int64_t rows, int64_t n, std::span<const int64_t> places, char* out) {
  if (places.empty() || wants_sort(dtype, n, places)) {
    std::copy_n(data, rows * n * itemsize(dtype), out);
    if (!places.empty()) sort_rows(out, dtype, rows, n);
    return;
  }
  visit_dtype(dtype, [&]<class T>(T) {
    auto piece = [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        partition_row(reinterpret_cast<const T*>(data) + r * n, n, places, reinterpret_cast<T*>(out) + r * n);
    };
    runtime::parallel_for(rows, grain_for(n * 32), piece);
  });
}

void argpartition_rows(const char* data, DType dtype, int64_t rows, int64_t n, std::span<const int64_t> places,
                       int64_t* order) {
  if (places.empty()) {
    for (int64_t r = 0; r < rows; ++r) std::iota(order + r * n, order + (r + 1) * n, int64_t{0});
    return;
  }
  if (wants_sort(dtype, n, places)) return argsort_rows(data, dtype, rows, n, order);
  visit_dtype(dtype, [&]<class T>(T) {
    auto piece = [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        argpartition_row(reinterpret_cast<const T*>(data) + r * n, n, places, order + r * n);
    };
    runtime::parallel_for(rows, grain_for(n * 32), piece);
  });
}

}  // namespace tessera::library
