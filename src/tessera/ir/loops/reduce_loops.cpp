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

/// Eight (or four) neighbours at once; every level computes the same lanes.
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

/// NumPy's tree; `dense` elements are neighbours in memory.
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

/// Folds whose order does not show: many lanes fold on their own and meet at the end.
template <class F, class T>
struct Free {
  static constexpr int lanes = 128 / sizeof(T) < 64 ? 128 / sizeof(T) : 64;
  static void loop(const char* element, int64_t stride, int64_t n, char* accumulator) {
    T value = get<T>(accumulator);
    int64_t i = 0;
    if (stride == sizeof(T) && n >= lanes) {
      T r[lanes];
      std::memcpy(r, element, sizeof r);
      for (i = lanes; i + lanes <= n; i += lanes) {
        TESSERA_VECTORIZE
        for (int k = 0; k < lanes; ++k) r[k] = F::apply(r[k], get<T>(element + (i + k) * sizeof(T)));
      }
      for (int k = 0; k < lanes; ++k) value = F::apply(value, r[k]);
    }
    for (; i < n; ++i) value = F::apply(value, get<T>(element + i * stride));
    put<T>(accumulator, value);
  }
};

struct WrapAdd {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(uint64_t(a) + uint64_t(b));
  }
};
struct WrapMul {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(uint64_t(a) * uint64_t(b));
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct FloatMin {
  template <class T>
  static T apply(T a, T b) {
    return math::min(a, b);
  }
};
struct FloatMax {
  template <class T>
  static T apply(T a, T b) {
    return math::max(a, b);
  }
};
struct FloatMinNum {
  template <class T>
  static T apply(T a, T b) {
    return math::min_num(a, b);
  }
};
struct FloatMaxNum {
  template <class T>
  static T apply(T a, T b) {
    return math::max_num(a, b);
  }
};
struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};

/// Pairwise forms do not read the accumulator: start it from the first element.
template <class F, class T>
struct FreeStart {
  static void loop(const char* element, int64_t stride, int64_t n, char* accumulator) {
    put<T>(accumulator, get<T>(element));
    Free<F, T>::loop(element + stride, stride, n - 1, accumulator);
  }
};

template <class F, class T>
ReduceLoop order_free(ReduceOrder order) {
  return order == ReduceOrder::sequential ? &Free<F, T>::loop : &FreeStart<F, T>::loop;
}

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
ReduceLoop find_float_reduce(ReduceKind kind, ReduceOrder order) {
  switch (kind) {
    case ReduceKind::add: return ordered<Add, T>(order);
    case ReduceKind::mul: return ordered<Mul, T>(order);
    case ReduceKind::min: return order_free<FloatMin, T>(order);
    case ReduceKind::max: return order_free<FloatMax, T>(order);
    case ReduceKind::min_num: return order_free<FloatMinNum, T>(order);
    case ReduceKind::max_num: return order_free<FloatMaxNum, T>(order);
    default: return nullptr;
  }
}

// U is T's unsigned twin: what wraps or works on bits has one loop for both.
template <class T, class U>
ReduceLoop find_integer_reduce(ReduceKind kind, ReduceOrder order) {
  switch (kind) {
    case ReduceKind::add: return order_free<WrapAdd, U>(order);
    case ReduceKind::mul: return order_free<WrapMul, U>(order);
    case ReduceKind::min:
    case ReduceKind::min_num: return order_free<Min, T>(order);
    case ReduceKind::max:
    case ReduceKind::max_num: return order_free<Max, T>(order);
    case ReduceKind::bit_and: return order_free<And, U>(order);
    case ReduceKind::bit_or: return order_free<Or, U>(order);
    case ReduceKind::bit_xor: return order_free<Xor, U>(order);
  }
  return nullptr;
}

}  // namespace

ReduceLoop find_reduce(ReduceKind kind, ReduceOrder order, DType type) {
  switch (type) {
    case DType::boolean:
    case DType::uint8: return find_integer_reduce<uint8_t, uint8_t>(kind, order);
    case DType::int8: return find_integer_reduce<int8_t, uint8_t>(kind, order);
    case DType::int16: return find_integer_reduce<int16_t, uint16_t>(kind, order);
    case DType::uint16: return find_integer_reduce<uint16_t, uint16_t>(kind, order);
    case DType::int32: return find_integer_reduce<int32_t, uint32_t>(kind, order);
    case DType::uint32: return find_integer_reduce<uint32_t, uint32_t>(kind, order);
    case DType::int64: return find_integer_reduce<int64_t, uint64_t>(kind, order);
    case DType::uint64: return find_integer_reduce<uint64_t, uint64_t>(kind, order);
    case DType::float32: return find_float_reduce<float>(kind, order);
    case DType::float64: return find_float_reduce<double>(kind, order);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
