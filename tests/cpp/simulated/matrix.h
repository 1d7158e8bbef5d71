/// Reference algorithms on column-major matrices, for the simulated libraries.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "tessera/layout/dtype.h"

namespace simulated {

using Complex = std::complex<double>;

/// Whether the simulated libraries should fail as real ones do with a driver that they do not support.
inline bool fails_to_start() { return std::getenv("SIMULATED_START_FAILS") != nullptr; }

inline double half_to_double(uint16_t bits) { return static_cast<double>(tessera::half_to_float(bits)); }
inline uint16_t double_to_half(double value) { return tessera::float_to_half(static_cast<float>(value)); }
inline double bfloat_to_double(uint16_t bits) { return static_cast<double>(tessera::bfloat16_to_float(bits)); }
inline uint16_t double_to_bfloat(double value) { return tessera::float_to_bfloat16(static_cast<float>(value)); }

inline double conjugate(double x) { return x; }
inline Complex conjugate(Complex x) { return std::conj(x); }

/// Element (i, j) of op(a).
template <class T>
T element_of(const T* a, int64_t lda, int op, int64_t i, int64_t j) {
  const T value = op == 0 ? a[i + j * lda] : a[j + i * lda];
  return op == 2 ? conjugate(value) : value;
}

/// Solves for one vector in place: x = op(a)^-1 x.
template <class T>
void solve_vector(bool lower, int op, bool unit, int64_t n, const T* a, int64_t lda, T* x, int64_t step) {
  const bool forward = lower == (op == 0);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = forward ? k : n - 1 - k;
    T sum = x[i * step];
    for (int64_t j = forward ? 0 : i + 1; j < (forward ? i : n); ++j) sum -= element_of(a, lda, op, i, j) * x[j * step];
    x[i * step] = unit ? sum : sum / element_of(a, lda, op, i, i);
  }
}

template <class T>
void solve_triangle(bool left, bool lower, int op, int64_t m, int64_t n, const T* a, int64_t lda, T* b, int64_t ldb) {
  if (left) {
    for (int64_t j = 0; j < n; ++j) solve_vector(lower, op, false, m, a, lda, b + j * ldb, 1);
    return;
  }
  // Solve row by row: x op(a) = b is op(a)' x' = b'.
  std::vector<T> transposed(static_cast<size_t>(n * n));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) transposed[static_cast<size_t>(j + i * n)] = element_of(a, lda, op, i, j);
  const bool op_lower = lower == (op == 0);
  for (int64_t i = 0; i < m; ++i) solve_vector(!op_lower, 0, false, n, transposed.data(), n, b + i, ldb);
}

/// LU factorization with row pivots counted from 1; returns LAPACK's info.
template <class T, class Pivot>
int factor(int64_t n, T* a, int64_t lda, Pivot* pivots) {
  int info = 0;
  for (int64_t k = 0; k < n; ++k) {
    int64_t best = k;
    for (int64_t i = k; i < n; ++i)
      if (std::abs(a[i + k * lda]) > std::abs(a[best + k * lda])) best = i;
    pivots[k] = static_cast<Pivot>(best + 1);
    if (a[best + k * lda] == T(0)) {
      if (!info) info = static_cast<int>(k + 1);
      continue;
    }
    for (int64_t j = 0; j < n; ++j) std::swap(a[k + j * lda], a[best + j * lda]);
    for (int64_t i = k + 1; i < n; ++i) {
      a[i + k * lda] /= a[k + k * lda];
      for (int64_t j = k + 1; j < n; ++j) a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];
    }
  }
  return info;
}

template <class T, class Pivot>
void solve_factored(int op, int64_t n, int64_t sides, const T* a, int64_t lda, const Pivot* pivots, T* b, int64_t ldb) {
  for (int64_t side = 0; side < sides; ++side) {
    T* x = b + side * ldb;
    if (op == 0) {
      for (int64_t k = 0; k < n; ++k) std::swap(x[k], x[pivots[k] - 1]);
      solve_vector(true, op, true, n, a, lda, x, 1);
      solve_vector(false, op, false, n, a, lda, x, 1);
    } else {
      solve_vector(false, op, false, n, a, lda, x, 1);
      solve_vector(true, op, true, n, a, lda, x, 1);
      for (int64_t k = n; k-- > 0;) std::swap(x[k], x[pivots[k] - 1]);
    }
  }
}

}  // namespace simulated
