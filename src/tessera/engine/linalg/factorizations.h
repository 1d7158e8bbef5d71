/// LAPACK over arrays: systems, determinants, factorizations, eigenvalues. Functions run when called, on settled
/// memory, compute in `dtype` (float32, float64 or their complex types) and check convergence only; callers check
/// shapes.
#pragma once

#include <optional>

#include "tessera/engine/engine.h"
#include "tessera/library/lapack/decompose.h"

namespace tessera {

using library::Vectors;

/// b has shape (..., n, k); leading axes broadcast.
Array solve(Engine& engine, const Array& a, const Array& b, DType dtype);
Array invert(Engine& engine, const Array& a, DType dtype);
Array determinant(Engine& engine, const Array& a, DType dtype);
/// Sign, and logarithm of the absolute value.
std::pair<Array, Array> log_determinant(Engine& engine, const Array& a, DType dtype);
Array cholesky(Engine& engine, const Array& a, bool upper, DType dtype);

/// The packed factors, transposed, and the scales of the reflections.
std::pair<Array, Array> qr_packed(Engine& engine, const Array& a, DType dtype);
/// The thin factors (q, r) where the device computes them faster than through the packed ones; else empty.
std::optional<std::pair<Array, Array>> try_qr_thin(Engine& engine, const Array& a, DType dtype);
/// The first `columns` columns of the orthogonal factor.
Array qr_orthogonal(Engine& engine, const Array& factors, const Array& tau, int64_t columns);

struct Svd {
  Array s;
  std::optional<Array> u, vh;
};
Svd singular_values(Engine& engine, const Array& a, Vectors vectors, DType dtype);

struct Eigen {
  Array values;
  std::optional<Array> vectors;
};
Eigen hermitian_eigenvalues(Engine& engine, const Array& a, bool upper, bool vectors, DType dtype);
/// Eigenvalues and eigenvectors are complex for every dtype.
Eigen general_eigenvalues(Engine& engine, const Array& a, bool vectors, DType dtype);

struct LeastSquares {
  Array x, residuals, s;
  int64_t rank;
};
/// a has shape (m, n), b (m, k).
LeastSquares least_squares(Engine& engine, const Array& a, const Array& b, double rcond, DType dtype);

}  // namespace tessera
