/// Helpers of the batched LAPACK drivers: iteration over matrices, and copies to and from Fortran order.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "tessera/library/blas/batch.h"
#include "tessera/library/lapack/lapack.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

/// Calls f with the C++ type of a dtype that LAPACK supports (float32, float64 and their complex types).
template <class F>
decltype(auto) with_lapack_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float32: return f(float{});
    case DType::complex64: return f(std::complex<float>{});
    case DType::complex128: return f(std::complex<double>{});
    default: return f(double{});
  }
}

/// The matrix (core 2), vector (core 1) or number (core 0) in the last axes of one operand.
struct CoreView {
  Strided operand;
  int core;
  int64_t rows = 1, columns = 1, row_stride = 0, column_stride = 0;

  CoreView(const Strided& s, int core_ndim) : operand(s), core(core_ndim) {
    const size_t n = s.view.shape.size();
    if (core == 2) {
      rows = s.view.shape[n - 2];
      columns = s.view.shape[n - 1];
      row_stride = s.view.strides[n - 2];
      column_stride = s.view.strides[n - 1];
    } else if (core == 1) {
      rows = s.view.shape[n - 1];
      row_stride = s.view.strides[n - 1];
    }
  }
  /// The address of this operand's part for one batch index; extents of 1 are broadcast.
  char* at(int64_t index, const Dims& batch) const {
    const size_t own = operand.view.shape.size() - static_cast<size_t>(core);
    char* data = operand.data;
    for (size_t axis = batch.size(); axis-- > 0;) {
      const int64_t i = index % batch[axis];
      index /= batch[axis];
      const size_t lead = batch.size() - own;
      if (axis >= lead && operand.view.shape[axis - lead] != 1) data += i * operand.view.strides[axis - lead];
    }
    return data;
  }
  template <class T>
  void load(const char* from, T* to, int64_t pitch) const {
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = 0; i < rows; ++i)
        to[j * pitch + i] = *reinterpret_cast<const T*>(from + i * row_stride + j * column_stride);
    }
  }
  template <class T>
  void store(const T* from, int64_t pitch, char* to) const {
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = 0; i < rows; ++i)
        *reinterpret_cast<T*>(to + i * row_stride + j * column_stride) = from[j * pitch + i];
    }
  }
};

/// Calls body(addresses of every operand's part) for all batch indices, distributed over the cores when the parts are
/// so small that LAPACK would use only one.
template <size_t count, class MakeBody>
void for_each_matrix(const Dims& batch, const std::array<CoreView, count>& operands, int64_t n, MakeBody&& make_body) {
  int64_t total = 1;
  for (int64_t extent : batch) total *= extent;
  auto range = [&](int64_t begin, int64_t end) {
    auto body = make_body();  // owns one thread's workspace
    std::array<char*, count> parts;
    for (int64_t i = begin; i < end; ++i) {
      for (size_t k = 0; k < count; ++k) parts[k] = operands[k].at(i, batch);
      body(parts);
    }
  };
  const int64_t work = std::max<int64_t>(1, n * n * n);
  if (n > 64 || total < 2) return range(0, total);
  runtime::parallel_for(total, std::max<int64_t>(1, (int64_t{1} << 15) / work), range);
}

/// The leading axes of a view.
inline Dims batch_of(const View& view, int core) {
  Dims batch = view.shape;
  for (int i = 0; i < core; ++i) batch.pop_back();
  return batch;
}

/// Fortran requires leading dimensions of at least 1.
inline int64_t pitch_of(int64_t rows) { return std::max<int64_t>(1, rows); }

}  // namespace tessera::library
