#include "tessera/ir/loops/lanes.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {

namespace {

/// Minima and maxima of floats. The fast pass only compares; NaNs and the sign of a zero are resolved when they occur.
template <class T, bool largest, bool skip_nan>
struct Extreme {
  using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

  static T join(T a, T b) {
    if constexpr (skip_nan) {
      return largest ? math::max_num(a, b) : math::min_num(a, b);
    } else {
      return largest ? math::max(a, b) : math::min(a, b);
    }
  }

  // Keeps the accumulator where the comparison is false, also for NaN: one instruction on x86.
  template <class V>
  static V nearer(V x, V accumulator) {
    if constexpr (largest) {
      return x > accumulator ? x : accumulator;
    } else {
      return x < accumulator ? x : accumulator;
    }
  }

  struct Nearer {
    template <class V>
    static V apply(V a, V b) {
      return nearer(b, a);
    }
  };
  struct Either {
    template <class V>
    static V apply(V a, V b) {
      return a | b;
    }
  };

  static constexpr T start = largest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();

  // The sign of a zero result: comparisons cannot tell zeros apart, so the elements are searched for the wanted zero.
  static T zero(const char* element, int64_t n) {
    const T wanted = largest ? T(0) : -T(0);
    const Word bits = std::bit_cast<Word>(wanted);
    Word there = 0;
    for (int64_t i = 0; i < n; ++i) there |= get<Word>(element + i * sizeof(T)) == bits;
    return there ? wanted : -wanted;
  }

  static T dense(const char* element, int64_t n, T value) {
    Lanes<T> best[4];
    Lanes<Word> odd[4] = {};
    for (Lanes<T>& lanes : best) lanes = Lanes<T>{} + start;
    int64_t i = 0;
    for (; i + lanes_at_once<T> <= n; i += lanes_at_once<T>) {
      for (int k = 0; k < 4; ++k) {
        Lanes<T> row;
        read_lanes<T>(row, element, i + k * lane_count<T>);
        best[k] = nearer(row, best[k]);
        odd[k] |= static_cast<Lanes<Word>>(row != row);
      }
    }
    for (; i + lane_count<T> <= n; i += lane_count<T>) {
      Lanes<T> row;
      read_lanes<T>(row, element, i);
      best[0] = nearer(row, best[0]);
      odd[0] |= static_cast<Lanes<Word>>(row != row);
    }
    const Lanes<Word> any = (odd[0] | odd[1]) | (odd[2] | odd[3]);
    const Lanes<T> all = nearer(nearer(best[0], best[1]), nearer(best[2], best[3]));
    T found = join_lanes<Nearer, T>(all);
    const bool nan = join_lanes<Either, Word>(any) != 0;
    if (nan && !skip_nan) return std::numeric_limits<T>::quiet_NaN();
    if (found == 0) found = zero(element, i);
    // If all elements are NaN, the result looks the same as if all were infinite.
    if (found == start) {
      for (int64_t k = 0; k < i; ++k) value = join(value, get<T>(element + k * sizeof(T)));
    } else {
      value = join(value, found);
    }
    for (; i < n; ++i) value = join(value, get<T>(element + i * sizeof(T)));
    return value;
  }

  template <bool from_first>
  static void loop(const char* element, int64_t stride, int64_t n, char* accumulator) {
    T value = get<T>(from_first ? element : accumulator);
    if (stride == sizeof(T) && n >= lane_count<T>) {
      value = dense(element, n, value);
    } else {
      for (int64_t i = 0; i < n; ++i) value = join(value, get<T>(element + i * stride));
    }
    put<T>(accumulator, value);
  }

  static ReduceLoop find(ReduceOrder order) { return order == ReduceOrder::sequential ? &loop<false> : &loop<true>; }
};

template <class T>
ReduceLoop find_extreme(ReduceKind kind, ReduceOrder order) {
  switch (kind) {
    case ReduceKind::min: return Extreme<T, false, false>::find(order);
    case ReduceKind::max: return Extreme<T, true, false>::find(order);
    case ReduceKind::min_num: return Extreme<T, false, true>::find(order);
    case ReduceKind::max_num: return Extreme<T, true, true>::find(order);
    default: return nullptr;
  }
}

}  // namespace

ReduceLoop find_float_extreme(ReduceKind kind, ReduceOrder order, DType type) {
  if (type == DType::float32) return find_extreme<float>(kind, order);
  if (type == DType::float64) return find_extreme<double>(kind, order);
  return nullptr;
}

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
