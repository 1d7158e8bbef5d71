#include "tessera/library/blas/matrix_product.h"

#include <algorithm>
#include <string>

#include "tessera/base/error.h"
#include "tessera/library/blas/blas.h"
#include "tessera/library/blas/dot.h"
#include "tessera/library/blas/matmul.h"

namespace tessera::library {

namespace {

std::string tuple(const Dims& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? "," : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// A matrix with the last axis as columns and all other axes, if they merge into one stride, as rows.
bool try_as_matrix(const Strided& s, Matrix& matrix) {
  const View& v = s.view;
  const size_t n = v.shape.size();
  int64_t rows = 1, stride = 0;
  for (size_t i = n - 1; i-- > 0;) {
    if (v.shape[i] == 1) continue;
    if (rows != 1 && v.strides[i] != stride * rows) return false;
    if (rows == 1) stride = v.strides[i];
    rows *= v.shape[i];
  }
  if (rows == 1) stride = v.itemsize() * v.shape[n - 1];
  matrix = {s.data, rows, v.shape[n - 1], stride, v.strides[n - 1]};
  return true;
}

/// The elements of all axes but `skip`, in C order.
template <class Body>
void for_each_line(const Strided& s, size_t skip, Body&& body) {
  const View& v = s.view;
  int64_t count = 1;
  for (size_t i = 0; i < v.shape.size(); ++i) count *= i == skip ? 1 : v.shape[i];
  for (int64_t line = 0; line < count; ++line) {
    int64_t rest = line, offset = 0;
    for (size_t i = v.shape.size(); i-- > 0;) {
      if (i == skip) continue;
      offset += rest % v.shape[i] * v.strides[i];
      rest /= v.shape[i];
    }
    body(Vector{s.data + offset, v.shape[skip], v.strides[skip]}, line);
  }
}

size_t summed_axis(const View& b) { return b.shape.size() > 1 ? b.shape.size() - 2 : 0; }

void dot_every_line(const Strided& a, const Strided& b, const Strided& out) {
  const int64_t item = out.view.itemsize();
  int64_t lines_b = 1;
  const size_t skip = summed_axis(b.view);
  for (size_t i = 0; i < b.view.shape.size(); ++i) lines_b *= i == skip ? 1 : b.view.shape[i];
  for_each_line(a, a.view.shape.size() - 1, [&](const Vector& x, int64_t row) {
    for_each_line(b, skip, [&](const Vector& y, int64_t column) {
      dot(out.view.dtype, x, y, out.data + (row * lines_b + column) * item);
    });
  });
}

/// For a single number times a row or column of complex numbers, NumPy calls BLAS's y += a x, which rounds differently.
template <class T>
bool try_scale(const Matrix& a, const Matrix& b, char* out) {
  constexpr int64_t size = sizeof(T);
  const bool by_a = a.rows == 1;
  const Vector x = by_a ? Vector{b.data, b.columns, b.column_stride} : Vector{a.data, a.rows, a.row_stride};
  if (!blas<T>() || x.size == 1 || x.stride <= 0 || x.stride % size) return false;
  std::fill_n(reinterpret_cast<T*>(out), x.size, T(0));
  blas<T>().axpy(x.size, reinterpret_cast<const T*>(by_a ? a.data : b.data), x.data, x.stride / size, out, 1);
  return true;
}

bool try_scale(DType dtype, const Matrix& a, const Matrix& b, char* out) {
  if (a.columns != 1 || (a.rows != 1 && b.columns != 1)) return false;
  if (dtype == DType::complex64) return try_scale<std::complex<float>>(a, b, out);
  return dtype == DType::complex128 && try_scale<std::complex<double>>(a, b, out);
}

}  // namespace

Dims matrix_product_shape(const Dims& a, const Dims& b) {
  const size_t axis_b = b.size() > 1 ? b.size() - 2 : 0;
  require<ShapeError>(a.back() == b[axis_b], "shapes {} and {} not aligned: {} (dim {}) != {} (dim {})", tuple(a),
                      tuple(b), a.back(), a.size() - 1, b[axis_b], axis_b);
  Dims shape;
  for (size_t i = 0; i + 1 < a.size(); ++i) shape.push_back(a[i]);
  for (size_t i = 0; i < b.size(); ++i) {
    if (i != axis_b) shape.push_back(b[i]);
  }
  require<ShapeError>(shape.size() <= static_cast<size_t>(max_ndim), "dot: too many dimensions in result");
  return shape;
}

void matrix_product(const Strided& a, const Strided& b, const Strided& out) {
  if (out.view.size() == 0) return;
  const DType dtype = out.view.dtype;
  Matrix left, right{};
  const bool flat_a = try_as_matrix(a, left);
  if (flat_a && b.view.shape.size() <= 2) {
    const int64_t item = out.view.itemsize();
    const bool vector = b.view.shape.size() == 1;
    right = vector ? Matrix{b.data, b.view.shape[0], 1, b.view.strides[0], item}
                   : Matrix{b.data, b.view.shape[0], b.view.shape[1], b.view.strides[0], b.view.strides[1]};
    const Matrix result{out.data, left.rows, right.columns, right.columns * item, item};
    if (try_scale(dtype, left, right, out.data)) return;
    if (left.rows == 1 && right.columns == 1)
      return dot(dtype, {left.data, left.columns, left.column_stride}, {right.data, right.rows, right.row_stride},
                 out.data);
    return matmul(dtype, left, right, result, OuterProduct::blas);
  }
  dot_every_line(a, b, out);
}

}  // namespace tessera::library
