#include "tessera/ir/row_loops.h"

#include "tessera/ir/loops/row_families.h"
#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

constexpr int width = 8;
constexpr int64_t leaf = 128, leaves_at_once = 4;

/// Eight neighbours; every CPU level computes the same lanes.
template <class T>
using Lanes [[gnu::vector_size(width * sizeof(T))]] = T;

template <class T>
T join_lanes(const Lanes<T>& r) {
  return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
}

template <RowTerm term, class V>
V term_of(V a, V b) {
  if constexpr (term == RowTerm::element) return a;
  if constexpr (term == RowTerm::product) return a * b;
  const V away = a - b;
  return away * away;
}

template <class T, RowTerm term>
struct Terms {
  RowOperand a, b;
  bool is_dense;  // neighbours in memory, beside one value where distances are taken

  [[gnu::always_inline]] T at(int64_t k) const {
    const T x = get<T>(a.data + k * a.stride);
    if constexpr (term == RowTerm::element) return x;
    return term_of<term, T>(x, get<T>(b.data + k * b.stride));
  }

  [[gnu::always_inline]] Lanes<T> lanes(int64_t k) const {
    Lanes<T> x, y;
    if (!is_dense) {
      for (int lane = 0; lane < width; ++lane) x[lane] = at(k + lane);
      return x;
    }
    std::memcpy(&x, a.data + k * static_cast<int64_t>(sizeof(T)), sizeof x);
    if constexpr (term == RowTerm::element) return x;
    if (term == RowTerm::squared_distance)
      y = Lanes<T>{} + get<T>(b.data);
    else
      std::memcpy(&y, b.data + k * static_cast<int64_t>(sizeof(T)), sizeof y);
    return term_of<term, Lanes<T>>(x, y);
  }

  T tail(T sum, int64_t k, int64_t end) const {
    for (; k < end; ++k) sum = sum + at(k);
    return sum;
  }

  T sum_of_leaf(int64_t begin, int64_t n) const {
    const int64_t even = n - n % width;
    Lanes<T> r = lanes(begin);
    for (int64_t k = width; k < even; k += width) r = r + lanes(begin + k);
    return tail(join_lanes<T>(r), begin + even, begin + n);
  }

  /// Four whole leaves, whose lanes are added up at once.
  T sum_of_leaves(int64_t begin) const {
    Lanes<T> r[leaves_at_once];
    for (int64_t j = 0; j < leaves_at_once; ++j) r[j] = lanes(begin + j * leaf);
    for (int64_t k = width; k < leaf; k += width)
      for (int64_t j = 0; j < leaves_at_once; ++j) r[j] = r[j] + lanes(begin + j * leaf + k);
    return (join_lanes<T>(r[0]) + join_lanes<T>(r[1])) + (join_lanes<T>(r[2]) + join_lanes<T>(r[3]));
  }

  T sum(int64_t begin, int64_t n) const {
    if (n <= leaf) return n < width ? tail(at(begin), begin + 1, begin + n) : sum_of_leaf(begin, n);
    if (n == leaf * leaves_at_once) return sum_of_leaves(begin);
    const int64_t half = n / 2, left = half - half % width;
    const T first = sum(begin, left);
    return first + sum(begin + left, n - left);
  }
};

template <class T, RowTerm term>
T sum_row(RowOperand a, RowOperand b, int64_t n) {
  constexpr int64_t size = sizeof(T);
  const int64_t wanted = term == RowTerm::product ? size : 0;
  const bool is_dense = a.stride == size && (term == RowTerm::element || b.stride == wanted);
  return Terms<T, term>{a, b, is_dense}.sum(0, n);
}

template <class T>
RowLoop<T> find(RowTerm term) {
  switch (term) {
    case RowTerm::element: return &sum_row<T, RowTerm::element>;
    case RowTerm::product: return &sum_row<T, RowTerm::product>;
    case RowTerm::squared_distance: return &sum_row<T, RowTerm::squared_distance>;
  }
  return nullptr;
}

}  // namespace

RowLoop<float> find_float32_row_loop(RowTerm term) { return find<float>(term); }
RowLoop<double> find_float64_row_loop(RowTerm term) { return find<double>(term); }

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
