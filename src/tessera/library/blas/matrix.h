/// Matrix and Vector: addresses, extents and strides of one product's operand.
#pragma once

#include <cstdint>

namespace tessera::library {

/// Element (i, j) is at data + i * row_stride + j * column_stride; strides are in bytes.
struct Matrix {
  char* data;
  int64_t rows;
  int64_t columns;
  int64_t row_stride;
  int64_t column_stride;

  Matrix transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

/// Element i is at data + i * stride.
struct Vector {
  char* data;
  int64_t size;
  int64_t stride;
};

/// Whether BLAS accepts the layout: unit stride along columns, rows at least a row apart and not overlapping.
inline bool is_blas_row_major(const Matrix& m, int64_t itemsize) {
  return m.column_stride == itemsize && m.row_stride % itemsize == 0 && m.row_stride / itemsize >= m.columns;
}

}  // namespace tessera::library
