/// rows: iterates several strided operands of one shape row by row, and distributes rows over threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tessera/layout/view.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

/// The minimum number of bytes per task.
inline constexpr int64_t task_bytes = int64_t{256} << 10;

/// How many items per task, if each touches `bytes` bytes.
inline int64_t grain_for(int64_t bytes) { return std::max<int64_t>(1, task_bytes / std::max<int64_t>(bytes, 1)); }

/// A type for elements of fixed size that are only moved.
struct alignas(8) Bytes16 {
  uint64_t half[2];
};

/// Calls f(T{}) with the integer type (or Bytes16) of that many bytes.
template <class F>
decltype(auto) visit_itemsize(int64_t itemsize, F&& f) {
  switch (itemsize) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    case 8: return f(uint64_t{});
    default: return f(Bytes16{});
  }
}

/// The position of row `flat` (all axes but the last, C order) in each of N operands, advanced by next().
template <size_t N>
class RowCursor {
 public:
  RowCursor(std::span<const View, N> views, const std::array<char*, N>& data, int64_t flat) : views_(views), at_(data) {
    int outer = views[0].ndim() - 1;
    index_.resize(std::max(outer, 0));
    for (int axis = outer - 1; axis >= 0; --axis) {
      int64_t extent = views[0].shape[axis];
      index_[axis] = flat % extent;
      flat /= extent;
      for (size_t k = 0; k < N; ++k) at_[k] += index_[axis] * views[k].strides[axis];
    }
  }
  char* operator[](size_t k) const { return at_[k]; }
  const Dims& index() const { return index_; }
  void next() {
    for (int axis = static_cast<int>(index_.size()) - 1; axis >= 0; --axis) {
      for (size_t k = 0; k < N; ++k) at_[k] += views_[k].strides[axis];
      if (++index_[axis] < views_[0].shape[axis]) return;
      for (size_t k = 0; k < N; ++k) at_[k] -= index_[axis] * views_[k].strides[axis];
      index_[axis] = 0;
    }
  }

 private:
  std::span<const View, N> views_;
  std::array<char*, N> at_;
  Dims index_;
};

/// The product of the extents before the last axis; 1 for a 1-d view.
inline int64_t row_count(const View& view) {
  int64_t rows = 1;
  for (int axis = 0; axis + 1 < view.ndim(); ++axis) rows *= view.shape[axis];
  return rows;
}

/// Calls body(cursor) for each row, distributed over threads with at least `row_grain` rows per task.
template <size_t N, class Body>
void for_each_row(std::span<const View, N> views, const std::array<char*, N>& data, int64_t row_grain, Body&& body) {
  auto piece = [&](int64_t begin, int64_t end) {
    RowCursor<N> cursor(views, data, begin);
    for (int64_t row = begin; row < end; ++row, cursor.next()) body(cursor);
  };
  runtime::parallel_for(row_count(views[0]), row_grain, piece);
}

}  // namespace tessera::library
