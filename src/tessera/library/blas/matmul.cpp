#include "tessera/library/blas/matmul.h"

#include <cstdlib>
#include <vector>

#include "tessera/library/blas/blas.h"
#include "tessera/library/blas/dot.h"
#include "tessera/library/blas/element.h"
#include "tessera/library/blas/native_matmul.h"

namespace tessera::library {

namespace {

template <class T>
constexpr int64_t size_of = sizeof(T);

template <class T>
bool is_row_major(const Matrix& m) {
  return is_blas_row_major(m, size_of<T>);
}
template <class T>
bool is_blasable(const Matrix& m) {
  return is_row_major<T>(m) || is_row_major<T>(m.transposed());
}
template <class T>
bool is_blasable(const Vector& v) {
  return v.stride % size_of<T> == 0 && v.stride / size_of<T> >= 1;
}

template <class T>
struct Leading {
  int transpose;
  int64_t pitch;
  explicit Leading(const Matrix& m)
      : transpose(is_row_major<T>(m) ? no_transpose : library::transpose),
        pitch((is_row_major<T>(m) ? m.row_stride : m.column_stride) / size_of<T>) {}
};

/// y = a @ x through gemv.
template <class T>
void gemv(const Matrix& a, const Vector& x, const Vector& y) {
  const bool row = is_row_major<T>(a);
  // NumPy passes a row-major matrix as the transpose of a column-major one; the choice of routine determines the bits.
  blas<T>().gemv(row ? column_major : row_major, transpose, a.columns, a.rows, Blas<T>::one(), a.data,
                 (row ? a.row_stride : a.column_stride) / size_of<T>, x.data, x.stride / size_of<T>, Blas<T>::zero(),
                 y.data, y.stride / size_of<T>);
}

template <class T>
void mirror_upper(const Matrix& m) {
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t j = i + 1; j < m.columns; ++j) {
      *reinterpret_cast<T*>(m.data + j * m.row_stride + i * m.column_stride) =
          *reinterpret_cast<const T*>(m.data + i * m.row_stride + j * m.column_stride);
    }
  }
}

/// All three matrices in BLAS layout, out row-major; a matrix times its own transpose needs half the work.
template <class T>
void gemm(const Matrix& a, const Matrix& b, const Matrix& out) {
  const Leading<T> la(a), lb(b);
  const int64_t ldc = out.row_stride / size_of<T>;
  const bool gram = a.data == b.data && a.rows == b.columns && a.row_stride == b.column_stride &&
                    a.column_stride == b.row_stride && la.transpose != lb.transpose;
  if (!gram) {
    blas<T>().gemm(row_major, la.transpose, lb.transpose, a.rows, b.columns, a.columns, Blas<T>::one(), a.data,
                   la.pitch, b.data, lb.pitch, Blas<T>::zero(), out.data, ldc);
    return;
  }
  blas<T>().syrk(row_major, upper, la.transpose, b.columns, a.columns, Blas<T>::one(), a.data,
                 la.transpose == no_transpose ? la.pitch : lb.pitch, Blas<T>::zero(), out.data, ldc);
  mirror_upper<T>(out);
}

/// A matrix that BLAS accepts: the given one, or a copy that keeps the order of its strides.
template <class T>
class Blasable {
 public:
  explicit Blasable(const Matrix& m, bool copy_elements = true) : matrix_(m) {
    if (is_blasable<T>(m)) return;
    buffer_.resize(static_cast<size_t>(m.rows * m.columns));
    const bool by_columns = std::abs(m.row_stride) < std::abs(m.column_stride);
    matrix_ = {reinterpret_cast<char*>(buffer_.data()), m.rows, m.columns, size_of<T> * (by_columns ? 1 : m.columns),
               size_of<T> * (by_columns ? m.rows : 1)};
    if (copy_elements) copy(m, matrix_);
  }
  const Matrix& matrix() const { return matrix_; }
  void copy_back(const Matrix& out) const {
    if (!buffer_.empty()) copy(matrix_, out);
  }

 private:
  static void copy(const Matrix& from, const Matrix& to) {
    for (int64_t i = 0; i < from.rows; ++i) {
      for (int64_t j = 0; j < from.columns; ++j) {
        *reinterpret_cast<T*>(to.data + i * to.row_stride + j * to.column_stride) =
            *reinterpret_cast<const T*>(from.data + i * from.row_stride + j * from.column_stride);
      }
    }
  }

  Matrix matrix_;
  std::vector<T> buffer_;
};

Vector row_of(const Matrix& m) { return {m.data, m.columns, m.column_stride}; }
Vector column_of(const Matrix& m) { return {m.data, m.rows, m.row_stride}; }

/// Some extent is 1: the product is a dot product or a matrix times a vector, where strides allow it.
template <class T>
bool try_thin(DType dtype, const Matrix& a, const Matrix& b, const Matrix& out) {
  const int64_t m = a.rows, n = a.columns, p = b.columns;
  if (m == 1 && p == 1) {
    dot(dtype, row_of(a), column_of(b), out.data);
    return true;
  }
  if (n == 1 && (m == 1 || p == 1)) return false;
  if (m == 1 && is_blasable<T>(b) && is_blasable<T>(row_of(a))) {
    gemv<T>(b.transposed(), row_of(a), row_of(out));
    return true;
  }
  if (p == 1 && is_blasable<T>(a) && is_blasable<T>(column_of(b))) {
    gemv<T>(a, column_of(b), column_of(out));
    return true;
  }
  return false;
}

template <class T>
void blas_matmul(DType dtype, const Matrix& a, const Matrix& b, const Matrix& out, OuterProduct outer) {
  const bool is_outer = a.columns == 1 && a.rows > 1 && b.columns > 1;
  if ((a.rows == 1 || a.columns == 1 || b.columns == 1) && !(is_outer && outer == OuterProduct::blas)) {
    if (!try_thin<T>(dtype, a, b, out)) native_matmul(dtype, a, b, out);
    return;
  }
  const Blasable<T> left(a), right(b), result(out, false);
  const Matrix& c = result.matrix();
  if (std::abs(out.row_stride) < std::abs(out.column_stride)) {
    gemm<T>(right.matrix().transposed(), left.matrix().transposed(), c.transposed());
  } else {
    gemm<T>(left.matrix(), right.matrix(), c);
  }
  result.copy_back(out);
}

template <class T>
inline constexpr bool is_blas_type = std::is_floating_point_v<T> || is_complex_type<T>;

}  // namespace

void matmul(DType dtype, const Matrix& a, const Matrix& b, const Matrix& out, OuterProduct outer) {
  const bool empty = a.rows == 0 || a.columns == 0 || b.columns == 0;
  with_element_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_blas_type<T>) {
      if (!empty && blas<T>()) return blas_matmul<T>(dtype, a, b, out, outer);
    }
    native_matmul(dtype, a, b, out);
  });
}

void matvec(DType dtype, const Matrix& a, const Vector& x, const Vector& out) {
  with_element_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_blas_type<T>) {
      if (blas<T>() && a.rows > 1 && a.columns > 1 && is_blasable<T>(a) && is_blasable<T>(x)) return gemv<T>(a, x, out);
    }
    for (int64_t i = 0; i < a.rows; ++i) {
      dot(dtype, {a.data + i * a.row_stride, a.columns, a.column_stride}, x, out.data + i * out.stride);
    }
  });
}

void vecmat(DType dtype, const Vector& x, const Matrix& b, const Vector& out) {
  with_element_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_blas_type<T>) {
      const bool fits = b.rows > 1 && b.columns > 1 && is_blasable<T>(b) && is_blasable<T>(x);
      if constexpr (is_complex_type<T>) {
        if (blas<T>() && fits && out.stride == size_of<T>) {
          // gemv cannot conjugate the vector, so the vector is passed as a matrix with one column.
          const Leading<T> lb(b);
          blas<T>().gemm(row_major, conjugate_transpose, lb.transpose, 1, b.columns, b.rows, Blas<T>::one(), x.data,
                         x.stride / size_of<T>, b.data, lb.pitch, Blas<T>::zero(), out.data, b.columns);
          return;
        }
      } else if (blas<T>() && fits) {
        return gemv<T>(b.transposed(), x, out);
      }
    }
    for (int64_t j = 0; j < b.columns; ++j) {
      conjugate_dot(dtype, x, {b.data + j * b.column_stride, b.rows, b.row_stride}, out.data + j * out.stride);
    }
  });
}

}  // namespace tessera::library
