#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/library/host/element_ops.h"
#include "tessera/library/host/rows.h"
#include "tessera/library/host/search.h"

namespace tessera::library {

namespace {

/// NumPy's sort order, NaN last. Complex: numbers without NaN, then NaN imaginary, NaN real, both.
template <class T>
bool sorts_before(T a, T b) {
  if constexpr (is_complex_type<T>) {
    auto rank = [](T z) { return 2 * std::isnan(z.real()) + std::isnan(z.imag()); };
    int x = rank(a), y = rank(b);
    if (x != y) return x < y;
    if (!(x & 2) && a.real() != b.real()) return a.real() < b.real();
    return !(x & 1) && a.imag() < b.imag();
  } else {
    // Integers: branch-free comparison, so that nothing is mispredicted.
    return static_cast<int>(is_less(a, b)) | (static_cast<int>(is_nan(b)) & static_cast<int>(!is_nan(a)));
  }
}

/// Searches several values concurrently: while one search waits for memory, the others proceed.
constexpr int searched_together = 8;

template <class T, class Key>
void search_range(Key key, int64_t n, const T* values, int64_t begin, int64_t end, bool right, int64_t* out) {
  auto is_after = [&](T value, int64_t k) {
    return right ? !sorts_before(value, key(k)) : sorts_before(key(k), value);
  };
  for (int64_t first = begin; first < end; first += searched_together) {
    int count = static_cast<int>(std::min<int64_t>(searched_together, end - first));
    int64_t low[searched_together] = {};
    // All searches take the same number of steps, so nothing is mispredicted.
    int64_t length = n;
    for (; length > 1; length -= length / 2) {
      int64_t half = length / 2;
      for (int k = 0; k < count; ++k) low[k] += is_after(values[first + k], low[k] + half - 1) ? half : 0;
    }
    for (int k = 0; k < count; ++k) out[first + k] = low[k] + (length == 1 && is_after(values[first + k], low[k]));
  }
}

}  // namespace

void search_sorted(const char* keys, int64_t n, const int64_t* sorter, const char* values, int64_t count, DType dtype,
                   bool right, int64_t* out) {
  if (sorter) {
    for (int64_t k = 0; k < n; ++k) require<ValueError>(sorter[k] >= 0 && sorter[k] < n, "Sorter index out of range.");
  }
  visit_dtype(dtype, [&]<class T>(T) {
    auto* sorted = reinterpret_cast<const T*>(keys);
    auto* wanted = reinterpret_cast<const T*>(values);
    auto piece = [&](int64_t begin, int64_t end) {
      if (sorter)
        search_range([=](int64_t k) { return sorted[sorter[k]]; }, n, wanted, begin, end, right, out);
      else
        search_range([=](int64_t k) { return sorted[k]; }, n, wanted, begin, end, right, out);
    };
    runtime::parallel_for(count, 2048, piece);
  });
}

}  // namespace tessera::library
