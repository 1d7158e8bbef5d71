/// Reductions whose result is independent of order: four vectors accumulate separately and are combined at the end.
#pragma once

#include "tessera/ir/loops/shape.h"

namespace tessera::ir::TESSERA_LOOP_LEVEL {
namespace {

template <class T>
using Lanes [[gnu::vector_size(64)]] = T;
template <class T>
inline constexpr int64_t lane_count = 64 / sizeof(T);
/// The number of elements in four vectors.
template <class T>
inline constexpr int64_t lanes_at_once = 4 * lane_count<T>;

template <class T>
[[gnu::always_inline]] inline void read_lanes(Lanes<T>& lanes, const char* element, int64_t at) {
  std::memcpy(&lanes, element + at * sizeof(T), sizeof lanes);
}

/// Reduces the elements of one vector, combining halves.
template <class F, class T>
T join_lanes(const Lanes<T>& lanes) {
  T parts[lane_count<T>];
  std::memcpy(parts, &lanes, sizeof parts);
  for (int64_t half = lane_count<T> / 2; half > 0; half /= 2) {
    for (int64_t k = 0; k < half; ++k) parts[k] = F::template apply<T>(parts[k], parts[k + half]);
  }
  return parts[0];
}

/// Reduces n >= lane_count contiguous elements into `value`.
template <class F, class T>
T reduce_lanes(const char* element, int64_t n, T value) {
  Lanes<T> all;
  int64_t i = 0;
  if (n >= lanes_at_once<T>) {
    Lanes<T> r[4];
    for (int k = 0; k < 4; ++k) read_lanes<T>(r[k], element, k * lane_count<T>);
    for (i = lanes_at_once<T>; i + lanes_at_once<T> <= n; i += lanes_at_once<T>) {
      for (int k = 0; k < 4; ++k) {
        Lanes<T> row;
        read_lanes<T>(row, element, i + k * lane_count<T>);
        r[k] = F::template apply<Lanes<T>>(r[k], row);
      }
    }
    all = F::template apply<Lanes<T>>(F::template apply<Lanes<T>>(r[0], r[1]), F::template apply<Lanes<T>>(r[2], r[3]));
  } else {
    read_lanes<T>(all, element, 0);
    i = lane_count<T>;
  }
  for (; i + lane_count<T> <= n; i += lane_count<T>) {
    Lanes<T> row;
    read_lanes<T>(row, element, i);
    all = F::template apply<Lanes<T>>(all, row);
  }
  value = F::template apply<T>(value, join_lanes<F, T>(all));
  for (; i < n; ++i) value = F::template apply<T>(value, get<T>(element + i * sizeof(T)));
  return value;
}

}  // namespace
}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
