#include "tessera/library/host/sort.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tessera/library/host/kernels/kernels.h"
#include "tessera/library/host/rows.h"
#include "tessera/library/host/sort_keys.h"
#include "tessera/library/host/vector_sort.h"

namespace tessera::library {

namespace {

/// Counting sort for keys of one byte.
template <class T>
void sort_bytes(T* row, int64_t n) {
  int64_t counts[256] = {};
  for (int64_t k = 0; k < n; ++k) ++counts[sort_key(row[k])];
  for (int key = 0; key < 256; ++key) {
    std::fill_n(row, counts[key], from_sort_key<T>(static_cast<uint8_t>(key)));
    row += counts[key];
  }
}

/// The signs of zeros in order, which the conversion to keys loses. Empty unless the row contains negative zeros.
template <class T>
std::vector<bool> find_zero_signs(const T* row, int64_t n) {
  using Key = UnsignedOf<sizeof(T)>;
  constexpr Key sign = Key{1} << (8 * sizeof(T) - 1);
  bool negative = false;
  for (int64_t k = 0; k < n; ++k) negative |= std::bit_cast<Key>(row[k]) == sign;
  std::vector<bool> signs;
  if (!negative) return signs;
  for (int64_t k = 0; k < n; ++k) {
    Key bits = std::bit_cast<Key>(row[k]);
    if ((bits & static_cast<Key>(~sign)) == 0) signs.push_back(bits != 0);
  }
  return signs;
}

template <class T>
void restore_zero_signs(T* row, int64_t n, const std::vector<bool>& signs) {
  if (signs.empty()) return;
  using Key = UnsignedOf<sizeof(T)>;
  constexpr Key sign = Key{1} << (8 * sizeof(T) - 1);
  T zero = std::bit_cast<T>(Key{0});
  T* first = std::partition_point(row, row + n, [&](T x) { return sort_key(x) < sort_key(zero); });
  for (size_t k = 0; k < signs.size(); ++k) first[k] = std::bit_cast<T>(signs[k] ? sign : Key{0});
}

/// Whether plain comparisons define NumPy's order uniquely for the row.
template <class T>
bool sorts_plainly(const T* row, int64_t n) {
  if constexpr (std::is_integral_v<T>)
    return true;
  else
    return !kernels().has_specials[static_cast<int>(sizeof(T) == 4 ? DType::float32 : DType::float64)](row, n);
}

/// Sorts by keys, which define an order for NaN, both zeros and the narrow floats.
template <class T>
void sort_by_keys(T* row, int64_t n, bool in_parallel) {
  using Key = UnsignedOf<sizeof(T)>;
  std::vector<bool> signs;
  if constexpr (is_float_like<T>) signs = find_zero_signs(row, n);
  auto* keys = reinterpret_cast<Key*>(row);
  auto encode = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) keys[k] = sort_key(std::bit_cast<T>(keys[k]));
  };
  auto decode = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) keys[k] = std::bit_cast<Key>(from_sort_key<T>(keys[k]));
  };
  if (in_parallel) {
    runtime::parallel_for(n, grain_for(sizeof(T)), encode);
    sort_numbers_in_parallel(keys, n);
    runtime::parallel_for(n, grain_for(sizeof(T)), decode);
  } else {
    encode(0, n);
    sort_numbers(keys, n);
    decode(0, n);
  }
  if constexpr (is_float_like<T>) restore_zero_signs(row, n, signs);
}

template <class T>
void sort_row(T* row, int64_t n, bool in_parallel) {
  if constexpr (sizeof(T) == 1) {
    sort_bytes(row, n);
  } else if constexpr (is_small_float<T>) {
    sort_by_keys(row, n, in_parallel);
  } else if (!sorts_plainly(row, n)) {
    sort_by_keys(row, n, in_parallel);
  } else if (in_parallel) {
    sort_numbers_in_parallel(row, n);
  } else {
    sort_numbers(row, n);
  }
}

template <class Part>
constexpr DType complex_dtype_of() {
  return sizeof(Part) == 4 ? DType::complex64 : DType::complex128;
}

template <class T>
void sort_row(std::complex<T>* row, int64_t n, bool) {
  std::vector<int64_t> order(n);
  argsort_rows(reinterpret_cast<const char*>(row), complex_dtype_of<T>(), 1, n, order.data());
  std::vector<std::complex<T>> before(row, row + n);
  for (int64_t k = 0; k < n; ++k) row[k] = before[order[k]];
}

}  // namespace

void sort_rows(char* data, DType dtype, int64_t rows, int64_t n) {
  if (n < 2) return;
  visit_dtype(dtype, [&]<class T>(T) {
    auto* first = reinterpret_cast<T*>(data);
    if (n >= long_row && rows < runtime::thread_count()) {
      for (int64_t r = 0; r < rows; ++r) sort_row(first + r * n, n, true);
      return;
    }
    auto piece = [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) sort_row(first + r * n, n, false);
    };
    runtime::parallel_for(rows, grain_for(n * 64), piece);
  });
}

}  // namespace tessera::library
