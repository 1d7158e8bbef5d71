// A simulated cuSOLVER: the factorizations that tessera calls, by simple algorithms in place.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "matrix.h"

namespace {

using namespace simulated;

constexpr int type_complex = 5;
int handle_target = 0;

/// Calls f with the element type.
template <class F>
int with_type(int type, F&& f) {
  if (type == type_complex) return f(Complex{});
  return type == 1 ? f(double{}) : 7;
}

int sizes(size_t* on_device, size_t* on_host) { return *on_device = 1000, *on_host = 100, 0; }
/// A workspace of the requested size, which the routine may overwrite.
bool scribbles(void* memory, size_t bytes, void* host, size_t host_bytes) {
  if (!memory || bytes != 1000 || !host || host_bytes != 100) return false;
  std::memset(memory, 0x5A, bytes);
  std::memset(host, 0x5A, host_bytes);
  return true;
}

template <class T>
int potrf(bool lower, int64_t n, T* a, int64_t lda) {
  const auto at = [&](int64_t i, int64_t j) -> T& { return lower ? a[i + j * lda] : a[j + i * lda]; };  // as if lower
  for (int64_t j = 0; j < n; ++j) {
    double pivot = std::real(at(j, j));
    for (int64_t k = 0; k < j; ++k) pivot -= std::norm(at(j, k));
    if (!(pivot > 0)) return static_cast<int>(j + 1);
    at(j, j) = std::sqrt(pivot);
    for (int64_t i = j + 1; i < n; ++i) {
      T sum = at(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= at(i, k) * conjugate(at(j, k));
      at(i, j) = sum / at(j, j);
    }
  }
  return 0;
}

/// x -= tau v (v' x) for v = (1, tail).
template <class T>
void reflect(int64_t m, const T* tail, T tau, T* x) {
  T sum = x[0];
  for (int64_t i = 1; i < m; ++i) sum += conjugate(tail[i - 1]) * x[i];
  x[0] -= tau * sum;
  for (int64_t i = 1; i < m; ++i) x[i] -= tau * tail[i - 1] * sum;
}

template <class T>
void geqrf(int64_t m, int64_t n, T* a, int64_t lda, T* tau) {
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    T* column = a + k + k * lda;
    double rest = 0;
    for (int64_t i = 1; i < m - k; ++i) rest += std::norm(column[i]);
    tau[k] = T(0);
    if (rest == 0 && std::imag(column[0]) == 0) continue;
    const double size = std::sqrt(rest + std::norm(column[0]));
    const double beta = std::signbit(std::real(column[0])) ? size : -size;
    tau[k] = (T(beta) - column[0]) / beta;
    for (int64_t i = 1; i < m - k; ++i) column[i] /= column[0] - beta;
    column[0] = beta;
    for (int64_t j = k + 1; j < n; ++j) reflect(m - k, column + 1, conjugate(tau[k]), a + k + j * lda);
  }
}

template <class T>
void orgqr(int64_t m, int64_t n, int64_t k, T* a, int64_t lda, const T* tau) {
  std::vector<T> q(static_cast<size_t>(m * n));
  for (int64_t j = 0; j < n; ++j) {
    T* column = &q[static_cast<size_t>(j * m)];
    column[j] = T(1);
    for (int64_t r = k; r-- > 0;) reflect(m - r, a + r + 1 + r * lda, tau[r], column + r);
  }
  for (int64_t j = 0; j < n; ++j) std::copy_n(&q[static_cast<size_t>(j * m)], m, a + j * lda);
}

/// Orthogonalises the columns of `a` (m x n) by rotations, which are accumulated in v (n x n): one-sided Jacobi.
template <class T>
void rotate(int64_t m, int64_t n, T* a, int64_t lda, T* v) {
  for (int64_t i = 0; i < n; ++i) v[i + i * n] = T(1);
  for (int sweep = 0; sweep < 40; ++sweep) {
    double off = 0;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        double x = 0, y = 0;
        T product = 0;
        for (int64_t i = 0; i < m; ++i) {
          x += std::norm(a[i + p * lda]);
          y += std::norm(a[i + q * lda]);
          product += conjugate(a[i + p * lda]) * a[i + q * lda];
        }
        const double size = std::abs(product);
        if (size <= 1e-16 * std::sqrt(x * y) || size == 0) continue;
        off = std::max(off, size / std::sqrt(x * y));
        const T phase = product / size;
        const double zeta = (y - x) / (2 * size),
                     t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        const auto turn = [&](T& left, T& right) {
          const T l = left, r = right * conjugate(phase);
          left = c * l - s * r;
          right = s * l + c * r;
        };
        for (int64_t i = 0; i < m; ++i) turn(a[i + p * lda], a[i + q * lda]);
        for (int64_t i = 0; i < n; ++i) turn(v[i + p * n], v[i + q * n]);
      }
    }
    if (off < 1e-15) break;
  }
}

template <class T>
double size_of_column(int64_t m, const T* column) {
  double sum = 0;
  for (int64_t i = 0; i < m; ++i) sum += std::norm(column[i]);
  return std::sqrt(sum);
}

/// Extends the first `have` orthonormal columns of u to `want` columns.
template <class T>
void complete(int64_t m, int64_t have, int64_t want, T* u, int64_t ldu) {
  for (int64_t unit = 0; have < want && unit < m; ++unit) {
    T* column = u + have * ldu;
    std::fill_n(column, m, T(0));
    column[unit] = T(1);
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t j = 0; j < have; ++j) {
        T sum = 0;
        for (int64_t i = 0; i < m; ++i) sum += conjugate(u[i + j * ldu]) * column[i];
        for (int64_t i = 0; i < m; ++i) column[i] -= sum * u[i + j * ldu];
      }
    }
    const double size = size_of_column(m, column);
    if (size < 1e-8) continue;
    for (int64_t i = 0; i < m; ++i) column[i] /= size;
    ++have;
  }
}

template <class T>
void gesvd(char job, int64_t m, int64_t n, T* a, int64_t lda, double* s, T* u, int64_t ldu, T* vt, int64_t ldvt) {
  std::vector<T> v(static_cast<size_t>(n * n));
  rotate(m, n, a, lda, v.data());
  std::vector<std::pair<double, int64_t>> order;
  for (int64_t j = 0; j < n; ++j) order.emplace_back(-size_of_column(m, a + j * lda), j);
  std::sort(order.begin(), order.end());
  int64_t rank = 0;
  for (int64_t j = 0; j < n; ++j) {
    s[j] = -order[static_cast<size_t>(j)].first;
    if (job == 'N') continue;
    const int64_t from = order[static_cast<size_t>(j)].second;
    if (s[j] > 1e-14 * s[0]) {
      for (int64_t i = 0; i < m; ++i) u[i + j * ldu] = a[i + from * lda] / s[j];
      rank = j + 1;
    }
    for (int64_t i = 0; i < n; ++i) vt[j + i * ldvt] = conjugate(v[static_cast<size_t>(i + from * n)]);
  }
  if (job != 'N') complete(m, rank, job == 'A' ? m : n, u, ldu);
}

/// Eigenvalues from the singular values of a + shift, which has no negative eigenvalue.
template <class T>
void syevd(bool vectors, bool lower, int64_t n, T* a, int64_t lda, double* w) {
  std::vector<T> full(static_cast<size_t>(n * n)), u(full.size()), vt(full.size());
  double shift = 0;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < n; ++i) {
      const bool given = i == j || (i > j) == lower;
      full[static_cast<size_t>(i + j * n)] = given ? a[i + j * lda] : conjugate(a[j + i * lda]);
      shift += std::norm(full[static_cast<size_t>(i + j * n)]);
    }
  }
  shift = std::sqrt(shift) + 1;
  for (int64_t i = 0; i < n; ++i) full[static_cast<size_t>(i + i * n)] += shift;
  gesvd('S', n, n, full.data(), n, w, u.data(), n, vt.data(), n);
  std::reverse(w, w + n);
  for (int64_t j = 0; j < n; ++j) w[j] -= shift;
  if (!vectors) return;
  for (int64_t j = 0; j < n; ++j) std::copy_n(&u[static_cast<size_t>((n - 1 - j) * n)], n, a + j * lda);
}

}  // namespace

extern "C" {

int cusolverDnCreate(void** handle) { return simulated::fails_to_start() ? 1 : (*handle = &handle_target, 0); }
int cusolverDnSetStream(void*, void*) { return 0; }
int cusolverDnCreateParams(void** parameters) { return *parameters = &handle_target, 0; }

int cusolverDnXgetrf_bufferSize(void*, void*, int64_t, int64_t, int, const void*, int64_t, int, size_t* d, size_t* h) {
  return sizes(d, h);
}
int cusolverDnXgetrf(void*, void*, int64_t, int64_t n, int type, void* a, int64_t lda, int64_t* pivots, int, void* work,
                     size_t bytes, void* host, size_t host_bytes, int* info) {
  if (!scribbles(work, bytes, host, host_bytes)) return 3;
  return with_type(type, [&]<class T>(T) { return *info = factor(n, static_cast<T*>(a), lda, pivots), 0; });
}
int cusolverDnXgetrs(void*, void*, int op, int64_t n, int64_t sides, int type, const void* a, int64_t lda,
                     const int64_t* pivots, int, void* b, int64_t ldb, int* info) {
  return with_type(type, [&]<class T>(T) {
    solve_factored(op, n, sides, static_cast<const T*>(a), lda, pivots, static_cast<T*>(b), ldb);
    return *info = 0;
  });
}

int cusolverDnXpotrf_bufferSize(void*, void*, int, int64_t, int, const void*, int64_t, int, size_t* d, size_t* h) {
  return sizes(d, h);
}
int cusolverDnXpotrf(void*, void*, int fill, int64_t n, int type, void* a, int64_t lda, int, void* work, size_t bytes,
                     void* host, size_t host_bytes, int* info) {
  if (!scribbles(work, bytes, host, host_bytes)) return 3;
  return with_type(type, [&]<class T>(T) { return *info = potrf(fill == 0, n, static_cast<T*>(a), lda), 0; });
}

int cusolverDnXgeqrf_bufferSize(void*, void*, int64_t, int64_t, int, const void*, int64_t, int, const void*, int,
                                size_t* d, size_t* h) {
  return sizes(d, h);
}
int cusolverDnXgeqrf(void*, void*, int64_t m, int64_t n, int type, void* a, int64_t lda, int, void* tau, int,
                     void* work, size_t bytes, void* host, size_t host_bytes, int* info) {
  if (!scribbles(work, bytes, host, host_bytes) || lda < m) return 3;
  return with_type(type,
                   [&]<class T>(T) { return geqrf(m, n, static_cast<T*>(a), lda, static_cast<T*>(tau)), *info = 0; });
}

#define SIMULATED_ORGQR(name, T)                                                                                \
  int cusolverDn##name##_bufferSize(void*, int, int, int, const void*, int, const void*, int* elements) {       \
    return *elements = 64, 0;                                                                                   \
  }                                                                                                             \
  int cusolverDn##name(void*, int m, int n, int k, void* a, int lda, const void* tau, void* work, int elements, \
                       int* info) {                                                                             \
    if (!work || elements != 64 || n > m || k > n) return 3;                                                    \
    orgqr(m, n, k, static_cast<T*>(a), lda, static_cast<const T*>(tau));                                        \
    return *info = 0;                                                                                           \
  }
SIMULATED_ORGQR(Dorgqr, double)
SIMULATED_ORGQR(Zungqr, Complex)

int cusolverDnXsyevd_bufferSize(void*, void*, int, int, int64_t, int, const void*, int64_t, int, const void*, int,
                                size_t* d, size_t* h) {
  return sizes(d, h);
}
int cusolverDnXsyevd(void*, void*, int vectors, int fill, int64_t n, int type, void* a, int64_t lda, int real, void* w,
                     int, void* work, size_t bytes, void* host, size_t host_bytes, int* info) {
  if (!scribbles(work, bytes, host, host_bytes) || real != 1) return 3;
  return with_type(type, [&]<class T>(T) {
    syevd(vectors == 1, fill == 0, n, static_cast<T*>(a), lda, static_cast<double*>(w));
    return *info = 0;
  });
}

int cusolverDnXgesvd_bufferSize(void*, void*, signed char, signed char, int64_t, int64_t, int, const void*, int64_t,
                                int, const void*, int, const void*, int64_t, int, const void*, int64_t, int, size_t* d,
                                size_t* h) {
  return sizes(d, h);
}
int cusolverDnXgesvd(void*, void*, signed char job, signed char, int64_t m, int64_t n, int type, void* a, int64_t lda,
                     int real, void* s, int, void* u, int64_t ldu, int, void* vt, int64_t ldvt, int, void* work,
                     size_t bytes, void* host, size_t host_bytes, int* info) {
  if (!scribbles(work, bytes, host, host_bytes) || real != 1 || m < n) return 3;
  return with_type(type, [&]<class T>(T) {
    gesvd(job, m, n, static_cast<T*>(a), lda, static_cast<double*>(s), static_cast<T*>(u), ldu, static_cast<T*>(vt),
          ldvt);
    return *info = 0;
  });
}

}  // extern "C"
