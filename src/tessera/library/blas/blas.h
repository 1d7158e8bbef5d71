/// Typed tables of the BLAS routines that tessera calls, one per element type.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

namespace tessera::library {

template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

enum BlasOrder : int { row_major = 101, column_major = 102 };
enum BlasTranspose : int { no_transpose = 111, transpose = 112, conjugate_transpose = 113 };
enum BlasTriangle : int { upper = 121, lower = 122 };

/// CBLAS functions for T; all null when the machine has no BLAS.
template <class T>
struct Blas {
  /// CBLAS takes real scalar factors by value and complex ones by address.
  using Factor = std::conditional_t<is_complex_type<T>, const T*, T>;

  void (*gemm)(int order, int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k, Factor alpha,
               const void* a, int64_t lda, const void* b, int64_t ldb, Factor beta, void* c, int64_t ldc);
  void (*gemv)(int order, int transpose, int64_t m, int64_t n, Factor alpha, const void* a, int64_t lda, const void* x,
               int64_t incx, Factor beta, void* y, int64_t incy);
  void (*syrk)(int order, int triangle, int transpose, int64_t n, int64_t k, Factor alpha, const void* a, int64_t lda,
               Factor beta, void* c, int64_t ldc);
  void (*axpy)(int64_t n, Factor alpha, const void* x, int64_t incx, void* y, int64_t incy);
  /// Real types only.
  T (*dot)(int64_t n, const void* x, int64_t incx, const void* y, int64_t incy);
  /// Complex types only; dotc conjugates x.
  void (*dotu)(int64_t n, const void* x, int64_t incx, const void* y, int64_t incy, void* result);
  void (*dotc)(int64_t n, const void* x, int64_t incx, const void* y, int64_t incy, void* result);

  explicit operator bool() const { return gemm != nullptr; }
  static Factor one();
  static Factor zero();
};

/// The table for float, double and their complex types; looked up once.
template <class T>
const Blas<T>& blas();

}  // namespace tessera::library
