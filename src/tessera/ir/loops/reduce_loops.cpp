#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};

/// Eight (or four) neighbouring elements at once; every CPU level computes the same lanes.
template <class T, int lanes>
using Row [[gnu::vector_size(lanes * sizeof(T))]] = T;

template <class F, class T, int lanes>
T join_lanes(const Row<T, lanes>& r) {
  if constexpr (lanes == 8) {
    return F::apply(F::apply(F::apply(r[0], r[1]), F::apply(r[2], r[3])),
                    F::apply(F::apply(r[4], r[5]), F::apply(r[6], r[7])));
  } else {
    return F::apply(F::apply(r[0], r[1]), F::apply(r[2], r[3]));
  }
}

/// NumPy's pairwise tree; `dense` elements are contiguous in memory.
template <class F, class T, int lanes, bool dense>
struct Tree {
  static const char* at(const char* p, int64_t stride, int64_t i) {
    return p + i * (dense ? int64_t{sizeof(T)} : stride);
  }

  static Row<T, lanes> row(const char* p, int64_t stride) {
    Row<T, lanes> r;
    if constexpr (dense) {
      std::memcpy(&r, p, sizeof r);
    } else {
      for (int k = 0; k < lanes; ++k) r[k] = get<T>(p + k * stride);
    }
    return r;
  }

  static T leaf(const char* p, int64_t stride, int64_t n) {
    if (n < lanes) {
      T sum = get<T>(p);
      for (int64_t i = 1; i < n; ++i) sum = F::apply(sum, get<T>(at(p, stride, i)));
      return sum;
    }
    Row<T, lanes> r = row(p, stride);
    int64_t i = lanes;
    for (; i < n - n % lanes; i += lanes) r = F::template apply<Row<T, lanes>>(r, row(at(p, stride, i), stride));
    T sum = join_lanes<F, T, lanes>(r);
    for (; i < n; ++i) sum = F::apply(sum, get<T>(at(p, stride, i)));
    return sum;
  }

  static T sum(const char* p, int64_t stride, int64_t n) {
    if (n <= 16 * lanes) return leaf(p, stride, n);
    int64_t half = n / 2;
    half -= half % lanes;
    const T left = sum(p, stride, half);
    return F::apply(left, sum(at(p, stride, half), stride, n - half));
  }
};

template <class F, class T, int lanes>
struct Pairwise {
  static void loop(const char* element, int64_t stride, int64_t n, char* accumulator) {
    const bool dense = stride == sizeof(T);
    put<T>(accumulator, dense ? Tree<F, T, lanes, true>::sum(element, stride, n)
                              : Tree<F, T, lanes, false>::sum(element, stride, n));
  }
};

template <class F, class T>
struct Sequential {
  static void loop(const char* element, int64_t stride, int64_t n, char* accumulator) {
    T value = get<T>(accumulator);
    for (int64_t i = 0; i < n; ++i) value = F::apply(value, get<T>(element + i * stride));
    put<T>(accumulator, value);
  }
};

template <class F, class T>
ReduceLoop ordered(ReduceOrder order) {
  switch (order) {
    case ReduceOrder::pairwise: return &Pairwise<F, T, 8>::loop;
    case ReduceOrder::pairwise_complex: return &Pairwise<F, T, 4>::loop;
    case ReduceOrder::sequential: return &Sequential<F, T>::loop;
  }
  return nullptr;
}

template <class T>
ReduceLoop find_ordered(ReduceKind kind, ReduceOrder order) {
  if (kind == ReduceKind::add) return ordered<Add, T>(order);
  if (kind == ReduceKind::mul) return ordered<Mul, T>(order);
  return nullptr;
}

}  // namespace

ReduceLoop find_reduce(ReduceKind kind, ReduceOrder order, DType type) {
  if (!is_floating(type)) return find_integer_reduce(kind, order, type);
  if (kind != ReduceKind::add && kind != ReduceKind::mul) return find_float_extreme(kind, order, type);
  if (type == DType::float32) return find_ordered<float>(kind, order);
  if (type == DType::float64) return find_ordered<double>(kind, order);
  return nullptr;
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
