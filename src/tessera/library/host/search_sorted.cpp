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
    return is_less(a, b) || (is_nan(b) && !is_nan(a));
  }
}

template <class T, class Key>
void search_range(Key key, int64_t n, const T* values, int64_t begin, int64_t end, bool right, int64_t* out) {
  for (int64_t k = begin; k < end; ++k) {
    T value = values[k];
    int64_t low = 0, length = n;
    // The half that cannot hold the place is dropped without a branch.
    while (length > 0) {
      int64_t half = length / 2;
      T middle = key(low + half);
      bool after = right ? !sorts_before(value, middle) : sorts_before(middle, value);
      low = after ? low + half + 1 : low;
      length = after ? length - half - 1 : half;
    }
    out[k] = low;
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
      if (sorter) search_range([=](int64_t k) { return sorted[sorter[k]]; }, n, wanted, begin, end, right, out);
      else search_range([=](int64_t k) { return sorted[k]; }, n, wanted, begin, end, right, out);
    };
    runtime::parallel_for(count, 2048, piece);
  });
}

}  // namespace tessera::library
