/// read_elements: elements of a column next to each other, converted where that loses no more than a cast does.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/base/error.h"
#include "tessera/layout/element_cast.h"
#include "tessera/routines/frames/column.h"

namespace tessera::routines::frames {

/// Writes the elements of rows [begin, end) to `out`: of the column's own dtype, or as floating-point numbers.
template <class T>
[[gnu::noinline]] void read_elements(const ColumnView& column, int64_t begin, int64_t end, T* out) {
  visit_dtype(column.dtype, [&]<class From>(From) {
    using Stored = std::conditional_t<std::is_same_v<From, bool>, uint8_t, From>;
    if constexpr (std::is_same_v<Stored, T> || (std::is_arithmetic_v<Stored> && std::is_floating_point_v<T>))
      for (int64_t row = begin; row < end; ++row) out[row - begin] = static_cast<T>(column.at<Stored>(row));
    else
      invariant(false, "elements are read as what they are, or as floating-point numbers");
  });
}

/// The same as doubles, without a copy where they are doubles next to each other.
inline const double* read_doubles(const ColumnView& column, int64_t begin, int64_t end, double* block) {
  if (column.dtype == DType::float64 && column.stride == sizeof(double))
    return reinterpret_cast<const double*>(column.data) + begin;
  read_elements(column, begin, end, block);
  return block;
}

}  // namespace tessera::routines::frames
