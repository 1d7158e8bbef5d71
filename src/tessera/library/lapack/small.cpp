#include "tessera/library/lapack/small.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "tessera/base/error.h"

namespace tessera::library {

namespace {

/// Rows one after another, as many as the matrix has.
struct Small {
  explicit Small(const Strided& a) : n(a.view.shape[0]) {
    for (int64_t row = 0; row < n; ++row)
      for (int64_t column = 0; column < n; ++column)
        (*this)(row, column) =
            *reinterpret_cast<const double*>(a.data + row * a.view.strides[0] + column * a.view.strides[1]);
  }
  double& operator()(int64_t row, int64_t column) {
    return values[static_cast<size_t>(row * most_small_rows + column)];
  }

  int64_t n;
  std::array<double, most_small_rows * most_small_rows> values;
};

/// The elements of right sides, where they lie.
struct Columns {
  explicit Columns(const Strided& x) : data(x.data), row_stride(x.view.strides[0]), stride(x.view.strides[1]) {}
  double& operator()(int64_t row, int64_t column) const {
    return *reinterpret_cast<double*>(data + row * row_stride + column * stride);
  }

  char* data;
  int64_t row_stride, stride;
};

int64_t pivot(Small& matrix, int64_t k) {
  int64_t best = k;
  for (int64_t row = k + 1; row < matrix.n; ++row)
    if (std::abs(matrix(row, k)) > std::abs(matrix(best, k))) best = row;
  return best;
}

void swap_rows(Small& matrix, int64_t one, int64_t other, int64_t first) {
  for (int64_t column = first; column < matrix.n; ++column) std::swap(matrix(one, column), matrix(other, column));
}

/// Makes it upper triangular; the sign of the rows' permutation.
double eliminate(Small& matrix) {
  double sign = 1;
  for (int64_t k = 0; k < matrix.n; ++k) {
    const int64_t best = pivot(matrix, k);
    if (best != k) {
      sign = -sign;
      swap_rows(matrix, best, k, k);
    }
    if (matrix(k, k) == 0) continue;
    for (int64_t row = k + 1; row < matrix.n; ++row) {
      const double factor = matrix(row, k) / matrix(k, k);
      for (int64_t column = k + 1; column < matrix.n; ++column) matrix(row, column) -= factor * matrix(k, column);
    }
  }
  return sign;
}

void solve_columns(Small& matrix, const Columns& right, int64_t columns) {
  const int64_t n = matrix.n;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t best = pivot(matrix, k);
    require<LinAlgError>(matrix(best, k) != 0, "Singular matrix");
    if (best != k) {
      swap_rows(matrix, best, k, k);
      for (int64_t column = 0; column < columns; ++column) std::swap(right(best, column), right(k, column));
    }
    for (int64_t row = k + 1; row < n; ++row) {
      const double factor = matrix(row, k) / matrix(k, k);
      for (int64_t column = k + 1; column < n; ++column) matrix(row, column) -= factor * matrix(k, column);
      for (int64_t column = 0; column < columns; ++column) right(row, column) -= factor * right(k, column);
    }
  }
  for (int64_t k = n - 1; k >= 0; --k)
    for (int64_t column = 0; column < columns; ++column) {
      double value = right(k, column);
      for (int64_t row = k + 1; row < n; ++row) value -= matrix(k, row) * right(row, column);
      right(k, column) = value / matrix(k, k);
    }
}

}  // namespace

bool is_small(const Strided& a) {
  return a.view.dtype == DType::float64 && a.view.shape.size() == 2 && a.view.shape[0] == a.view.shape[1] &&
         a.view.shape[0] <= most_small_rows;
}

void solve_small(const Strided& a, const Strided& b, const Strided& x) {
  Small matrix(a);
  const Columns from(b), to(x);
  for (int64_t row = 0; row < matrix.n; ++row)
    for (int64_t column = 0; column < x.view.shape[1]; ++column) to(row, column) = from(row, column);
  solve_columns(matrix, to, x.view.shape[1]);
}

void invert_small(const Strided& a, const Strided& out) {
  Small matrix(a);
  const Columns to(out);
  for (int64_t row = 0; row < matrix.n; ++row)
    for (int64_t column = 0; column < matrix.n; ++column) to(row, column) = row == column ? 1 : 0;
  solve_columns(matrix, to, matrix.n);
}

double small_determinant(const Strided& a) {
  Small matrix(a);
  double product = eliminate(matrix);
  for (int64_t k = 0; k < matrix.n; ++k) product *= matrix(k, k);
  return product;
}

void small_log_determinant(const Strided& a, double& sign, double& log) {
  Small matrix(a);
  sign = eliminate(matrix);
  log = 0;
  for (int64_t k = 0; k < matrix.n; ++k) {
    const double value = matrix(k, k);
    if (value == 0) {
      sign = 0;
      log = -std::numeric_limits<double>::infinity();
      return;
    }
    if (value < 0) sign = -sign;
    log += std::log(std::abs(value));
  }
}

}  // namespace tessera::library
