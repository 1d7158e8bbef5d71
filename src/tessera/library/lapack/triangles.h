/// Operations on small square matrices that remain when tall matrices are orthogonalised; each is n rows of n elements,
/// contiguous.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/library/lapack/lapack.h"

namespace tessera::library {

template <class T>
using Square = std::vector<T>;  // n * n

template <class T>
T conjugated(T x) {
  if constexpr (is_complex_type<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

/// The upper triangle r with r' r = g, g Hermitian; false if g is not clearly positive definite.
template <class T>
bool try_cholesky(int64_t n, Square<T>& g) {
  for (int64_t i = 0; i < n; ++i) {
    const Real<T> pivot = std::real(g[static_cast<size_t>(i * n + i)]);
    if (!(pivot > static_cast<Real<T>>(n) * std::numeric_limits<Real<T>>::epsilon())) return false;
    const Real<T> root = std::sqrt(pivot);
    T* row = &g[static_cast<size_t>(i * n)];
    for (int64_t j = 0; j < i; ++j) row[j] = T(0);
    row[i] = T(root);
    for (int64_t j = i + 1; j < n; ++j) row[j] /= root;
    for (int64_t k = i + 1; k < n; ++k) {
      T* below = &g[static_cast<size_t>(k * n)];
      const T factor = conjugated(row[k]);
      for (int64_t j = k; j < n; ++j) below[j] -= factor * row[j];
    }
  }
  return true;
}

/// The product a b; a is upper triangular.
template <class T>
Square<T> multiply_triangle(int64_t n, const Square<T>& a, const Square<T>& b) {
  Square<T> out(static_cast<size_t>(n * n));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = i; k < n; ++k) {
      const T factor = a[static_cast<size_t>(i * n + k)];
      for (int64_t j = 0; j < n; ++j) out[static_cast<size_t>(i * n + j)] += factor * b[static_cast<size_t>(k * n + j)];
    }
  }
  return out;
}

/// b = r^-1 b; r is upper triangular.
template <class T>
void solve_from_left(int64_t n, const Square<T>& r, Square<T>& b) {
  for (int64_t i = n; i-- > 0;) {
    T* row = &b[static_cast<size_t>(i * n)];
    for (int64_t k = i + 1; k < n; ++k) {
      const T factor = r[static_cast<size_t>(i * n + k)];
      for (int64_t j = 0; j < n; ++j) row[j] -= factor * b[static_cast<size_t>(k * n + j)];
    }
    for (int64_t j = 0; j < n; ++j) row[j] /= r[static_cast<size_t>(i * n + i)];
  }
}

/// b = b r^-1; r is upper triangular.
template <class T>
void solve_from_right(int64_t n, const Square<T>& r, Square<T>& b) {
  for (int64_t i = 0; i < n; ++i) {
    T* row = &b[static_cast<size_t>(i * n)];
    for (int64_t k = 0; k < n; ++k) {
      row[k] /= r[static_cast<size_t>(k * n + k)];
      for (int64_t j = k + 1; j < n; ++j) row[j] -= row[k] * r[static_cast<size_t>(k * n + j)];
    }
  }
}

/// The signs that LAPACK's reflections would have given to the columns of an orthogonal matrix with first n rows q, if
/// the columns computed here have positive diagonals in r: eliminating q produces the same leading elements.
template <class T>
std::vector<Real<T>> reflection_signs(int64_t n, Square<T> q) {
  std::vector<Real<T>> signs(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    T* row = &q[static_cast<size_t>(i * n)];
    const Real<T> sign = std::signbit(std::real(row[i])) ? Real<T>(1) : Real<T>(-1);
    signs[static_cast<size_t>(i)] = sign;
    row[i] -= sign;
    for (int64_t k = i + 1; k < n; ++k) {
      T* below = &q[static_cast<size_t>(k * n)];
      const T factor = below[i] / row[i];
      for (int64_t j = i + 1; j < n; ++j) below[j] -= factor * row[j];
    }
  }
  return signs;
}

}  // namespace tessera::library
