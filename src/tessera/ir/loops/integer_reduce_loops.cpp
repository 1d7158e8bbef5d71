#include "tessera/ir/loops/lanes.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

// Single narrow elements are computed in int: the cast back wraps.
struct Add {
  template <class T>
  static T apply(T a, T b) {
    return T(a + b);
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return product(a, b);
  }
  template <class T>
  static T product(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(uint64_t{a} * uint64_t{b});
    else
      return a * b;
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
struct And {
  template <class T>
  static T apply(T a, T b) {
    return T(a & b);
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return T(a | b);
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return T(a ^ b);
  }
};

/// Orders that do not read the accumulator start from the first element.
template <class F, class T, bool start>
struct Reduction {
  static void loop(const char* element, int64_t stride, int64_t n, char* accumulator) {
    T value = get<T>(start ? element : accumulator);
    if (stride == sizeof(T) && n > lane_count<T>) {
      // The first element is skipped here, because a sum would count it twice.
      const int64_t skip = start ? 1 : 0;
      value = reduce_lanes<F, T>(element + skip * stride, n - skip, value);
    } else {
      for (int64_t i = start ? 1 : 0; i < n; ++i) value = F::template apply<T>(value, get<T>(element + i * stride));
    }
    put<T>(accumulator, value);
  }
};

template <class F, class T>
ReduceLoop combine(ReduceOrder order) {
  return order == ReduceOrder::sequential ? &Reduction<F, T, false>::loop : &Reduction<F, T, true>::loop;
}

// U is T's unsigned counterpart: wrapping and bitwise operations share one loop for both.
template <class T, class U>
ReduceLoop find_reduction(ReduceKind kind, ReduceOrder order) {
  switch (kind) {
    case ReduceKind::add: return combine<Add, U>(order);
    case ReduceKind::mul: return combine<Mul, U>(order);
    case ReduceKind::min:
    case ReduceKind::min_num: return combine<Min, T>(order);
    case ReduceKind::max:
    case ReduceKind::max_num: return combine<Max, T>(order);
    case ReduceKind::bit_and: return combine<And, U>(order);
    case ReduceKind::bit_or: return combine<Or, U>(order);
    case ReduceKind::bit_xor: return combine<Xor, U>(order);
  }
  return nullptr;
}

}  // namespace

ReduceLoop find_integer_reduce(ReduceKind kind, ReduceOrder order, DType type) {
  switch (type) {
    case DType::boolean:
    case DType::uint8: return find_reduction<uint8_t, uint8_t>(kind, order);
    case DType::int8: return find_reduction<int8_t, uint8_t>(kind, order);
    case DType::int16: return find_reduction<int16_t, uint16_t>(kind, order);
    case DType::uint16: return find_reduction<uint16_t, uint16_t>(kind, order);
    case DType::int32: return find_reduction<int32_t, uint32_t>(kind, order);
    case DType::uint32: return find_reduction<uint32_t, uint32_t>(kind, order);
    case DType::int64: return find_reduction<int64_t, uint64_t>(kind, order);
    case DType::uint64: return find_reduction<uint64_t, uint64_t>(kind, order);
    default: return nullptr;
  }
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
