/// ColumnView: the elements of a column of a frame, in memory that others own.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::routines::frames {

struct ColumnView {
  const char* data = nullptr;
  DType dtype = DType::float64;
  int64_t stride = 0;  ///< in bytes, between neighbours
  int64_t size = 0;

  template <class T>
  T at(int64_t row) const {
    return *reinterpret_cast<const T*>(data + row * stride);
  }
};

/// What stands for a missing date or time span.
inline constexpr int64_t missing_time = INT64_MIN;

}  // namespace tessera::routines::frames
