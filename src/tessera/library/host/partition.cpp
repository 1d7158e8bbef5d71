#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "tessera/layout/element_cast.h"
#include "tessera/library/host/kernels/kernels.h"
#include "tessera/library/host/rows.h"
#include "tessera/library/host/select_place.h"
#include "tessera/library/host/sort.h"
#include "tessera/library/host/vector_sort.h"

namespace tessera::library {

namespace {

/// With more places, or in shorter rows, a full sort is as fast.
constexpr size_t most_places = 8;
constexpr int64_t short_row = 64;

template <class T>
struct Scratch {
  std::unique_ptr<T[]> candidates, part;
  explicit Scratch(int64_t n)
      : candidates(std::make_unique_for_overwrite<T[]>(n)), part(std::make_unique_for_overwrite<T[]>(n)) {}
};

template <class T>
Place<T> find_middle(const T* row, int64_t n, std::span<const int64_t> places, int64_t first, Scratch<T>& scratch) {
  return select_place(row, n, places[places.size() / 2] - first, scratch.candidates.get());
}

/// The places before and after the run of elements equal to a pivot.
std::pair<std::span<const int64_t>, std::span<const int64_t>> places_around(std::span<const int64_t> places,
                                                                            int64_t begin, int64_t end) {
  auto low = std::lower_bound(places.begin(), places.end(), begin), high = std::lower_bound(low, places.end(), end);
  return {places.first(low - places.begin()), places.last(places.end() - high)};
}

/// Writes the row's elements to out, partitioned at `places`, which count from `first`.
template <class T>
void partition_row(DType dtype, const T* row, int64_t n, std::span<const int64_t> places, int64_t first, T* out,
                   Scratch<T>& scratch) {
  Place<T> place = find_middle(row, n, places, first, scratch);
  int64_t above = place.below + place.equal;
  kernels().part[static_cast<int>(dtype)](row, n, &place.pivot, out, out + place.below, out + above);
  auto [lower, upper] = places_around(places, first + place.below, first + above);
  auto again = [&](int64_t begin, int64_t end, std::span<const int64_t> some) {
    if (some.empty()) return;
    std::copy(out + begin, out + end, scratch.part.get());
    partition_row(dtype, scratch.part.get(), end - begin, some, first + begin, out + begin, scratch);
  };
  again(0, place.below, lower);
  again(above, n, upper);
}

/// The same for indices: `order` receives the indices in `row` of its elements.
template <class T>
void argpartition_row(DType dtype, const T* row, int64_t n, std::span<const int64_t> places, int64_t first,
                      int64_t* order, Scratch<T>& scratch) {
  Place<T> place = find_middle(row, n, places, first, scratch);
  int64_t above = place.below + place.equal;
  kernels().part_indices[static_cast<int>(dtype)](row, n, &place.pivot, order, order + place.below, order + above);
  auto [lower, upper] = places_around(places, first + place.below, first + above);
  auto again = [&](int64_t begin, int64_t end, std::span<const int64_t> some) {
    if (some.empty()) return;
    std::vector<int64_t> outer(order + begin, order + end);
    std::vector<T> part(outer.size());
    for (size_t k = 0; k < outer.size(); ++k) part[k] = row[outer[k]];
    argpartition_row(dtype, part.data(), end - begin, some, first + begin, order + begin, scratch);
    for (int64_t k = begin; k < end; ++k) order[k] = outer[order[k]];
  };
  again(0, place.below, lower);
  again(above, n, upper);
}

template <class T>
bool has_nan(const T* row, int64_t n) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    if (!kernels().has_specials[static_cast<int>(sizeof(T) == 4 ? DType::float32 : DType::float64)](row, n))
      return false;
    return std::any_of(row, row + n, [](T x) { return x != x; });
  }
}

/// Booleans are partitioned as bytes.
DType parted_dtype(DType dtype) { return is_boolean(dtype) ? DType::uint8 : dtype; }

/// Calls by_places(row number, scratch) for rows that can be partitioned, by_sort(row number) for rows with NaN.
template <class T, class ByPlaces, class BySort>
void for_rows(const char* data, int64_t rows, int64_t n, ByPlaces&& by_places, BySort&& by_sort) {
  auto piece = [&](int64_t begin, int64_t end) {
    Scratch<T> scratch(n);
    for (int64_t r = begin; r < end; ++r) {
      auto* row = reinterpret_cast<const T*>(data) + r * n;
      if (has_nan(row, n))
        by_sort(r);
      else
        by_places(r, row, scratch);
    }
  };
  runtime::parallel_for(rows, grain_for(n * 16), piece);
}

}  // namespace

bool parts_by_sort(DType dtype, int64_t n, std::span<const int64_t> places) {
  return kernels().part[static_cast<int>(parted_dtype(dtype))] == nullptr || places.size() > most_places ||
         n <= short_row;
}

void partition_rows(const char* data, DType dtype, int64_t rows, int64_t n, std::span<const int64_t> places,
                    char* out) {
  dtype = parted_dtype(dtype);
  int64_t row_bytes = n * itemsize(dtype);
  if (places.empty() || parts_by_sort(dtype, n, places)) {
    std::copy_n(data, rows * row_bytes, out);
    if (!places.empty()) sort_rows(out, dtype, rows, n);
    return;
  }
  visit_dtype(dtype, [&]<class T>(T) {
    if constexpr (Sortable<T>) {
      for_rows<T>(
          data, rows, n,
          [&](int64_t r, const T* row, Scratch<T>& scratch) {
            partition_row(dtype, row, n, places, 0, reinterpret_cast<T*>(out) + r * n, scratch);
          },
          [&](int64_t r) {
            std::copy_n(data + r * row_bytes, row_bytes, out + r * row_bytes);
            sort_rows(out + r * row_bytes, dtype, 1, n);
          });
    }
  });
}

void argpartition_rows(const char* data, DType dtype, int64_t rows, int64_t n, std::span<const int64_t> places,
                       int64_t* order) {
  dtype = parted_dtype(dtype);
  if (places.empty()) {
    for (int64_t r = 0; r < rows; ++r) std::iota(order + r * n, order + (r + 1) * n, int64_t{0});
    return;
  }
  if (parts_by_sort(dtype, n, places)) return argsort_rows(data, dtype, rows, n, order);
  visit_dtype(dtype, [&]<class T>(T) {
    if constexpr (Sortable<T>) {
      for_rows<T>(
          data, rows, n,
          [&](int64_t r, const T* row, Scratch<T>& scratch) {
            argpartition_row(dtype, row, n, places, 0, order + r * n, scratch);
          },
          [&](int64_t r) { argsort_rows(data + r * n * itemsize(dtype), dtype, 1, n, order + r * n); });
    }
  });
}

}  // namespace tessera::library
