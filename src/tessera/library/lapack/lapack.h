/// Typed tables of the LAPACK routines that tessera calls, one per element type.
#pragma once

#include <complex>
#include <cstdint>

#include "tessera/library/blas/blas.h"

namespace tessera::library {

template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<std::complex<R>> {
  using type = R;
};
template <class T>
using Real = typename RealOf<T>::type;

/// All arguments are passed by address, as in Fortran. Where the complex routine takes a further real workspace, it has
/// a pointer of its own; the one that does not apply to T is null.
template <class T>
struct Lapack {
  using R = Real<T>;
  using I = const int64_t*;

  void (*gesv)(I n, I nrhs, T* a, I lda, int64_t* pivots, T* b, I ldb, int64_t* info);
  void (*getrf)(I m, I n, T* a, I lda, int64_t* pivots, int64_t* info);
  void (*potrf)(const char* uplo, I n, T* a, I lda, int64_t* info);
  void (*geqrf)(I m, I n, T* a, I lda, T* tau, T* work, I lwork, int64_t* info);
  void (*orgqr)(I m, I n, I k, T* a, I lda, const T* tau, T* work, I lwork, int64_t* info);
  void (*syevd)(const char* job, const char* uplo, I n, T* a, I lda, R* w, T* work, I lwork, int64_t* iwork, I liwork,
                int64_t* info);
  void (*heevd)(const char* job, const char* uplo, I n, T* a, I lda, R* w, T* work, I lwork, R* rwork, I lrwork,
                int64_t* iwork, I liwork, int64_t* info);
  void (*geev_real)(const char* left, const char* right, I n, T* a, I lda, R* wr, R* wi, T* vl, I ldvl, T* vr, I ldvr,
                    T* work, I lwork, int64_t* info);
  void (*geev_complex)(const char* left, const char* right, I n, T* a, I lda, T* w, T* vl, I ldvl, T* vr, I ldvr,
                       T* work, I lwork, R* rwork, int64_t* info);
  void (*gesdd_real)(const char* job, I m, I n, T* a, I lda, R* s, T* u, I ldu, T* vt, I ldvt, T* work, I lwork,
                     int64_t* iwork, int64_t* info);
  void (*gesdd_complex)(const char* job, I m, I n, T* a, I lda, R* s, T* u, I ldu, T* vt, I ldvt, T* work, I lwork,
                        R* rwork, int64_t* iwork, int64_t* info);
  void (*gelsd_real)(I m, I n, I nrhs, T* a, I lda, T* b, I ldb, R* s, const R* rcond, int64_t* rank, T* work, I lwork,
                     int64_t* iwork, int64_t* info);
  void (*gelsd_complex)(I m, I n, I nrhs, T* a, I lda, T* b, I ldb, R* s, const R* rcond, int64_t* rank, T* work,
                        I lwork, R* rwork, int64_t* iwork, int64_t* info);
};

/// The table for T; throws RuntimeError when this machine has no LAPACK.
template <class T>
const Lapack<T>& lapack();

/// The value that a routine wrote to an int64 initialised with 0: a 32-bit library writes the low half only.
inline int64_t narrow(int64_t info) { return static_cast<int32_t>(info); }
/// The workspace size that a size query returned in the first element of work.
template <class T>
int64_t work_size(const T& answer) {
  if constexpr (is_complex_type<T>) {
    return static_cast<int64_t>(answer.real());
  } else {
    return static_cast<int64_t>(answer);
  }
}

}  // namespace tessera::library
