// A simulated cuBLAS: the functions that tessera calls, as plain loops over host memory.
#include <cstdint>
#include <cstring>

#include "matrix.h"

namespace {

using namespace simulated;

/// Names of the products called, such as "gemm", "gemm_strided", "gemm_batched", "gemv", "dot"; tests read and clear
/// it.
char last_call[64] = "";
bool device_pointers = false;

int note(const char* call) {
  std::strncpy(last_call, call, sizeof last_call - 1);
  return 0;
}

double real_at(const void* data, int type, int64_t i) {
  switch (type) {
    case 0: return static_cast<const float*>(data)[i];
    case 1: return static_cast<const double*>(data)[i];
    case 2: return half_to_double(static_cast<const uint16_t*>(data)[i]);
    default: return bfloat_to_double(static_cast<const uint16_t*>(data)[i]);
  }
}

Complex at(const void* data, int type, int64_t i) {
  if (type == 4) return Complex(static_cast<const std::complex<float>*>(data)[i]);
  if (type == 5) return static_cast<const Complex*>(data)[i];
  return real_at(data, type, i);
}

void put(void* data, int type, int64_t i, Complex value) {
  switch (type) {
    case 0: static_cast<float*>(data)[i] = static_cast<float>(value.real()); break;
    case 1: static_cast<double*>(data)[i] = value.real(); break;
    case 2: static_cast<uint16_t*>(data)[i] = double_to_half(value.real()); break;
    case 14: static_cast<uint16_t*>(data)[i] = double_to_bfloat(value.real()); break;
    case 4: static_cast<std::complex<float>*>(data)[i] = std::complex<float>(value); break;
    default: static_cast<Complex*>(data)[i] = value;
  }
}

int64_t size_of(int type) { return type == 2 || type == 14 ? 2 : type == 0 ? 4 : type == 5 ? 16 : 8; }
char* moved(const void* data, int type, int64_t elements) {
  return static_cast<char*>(const_cast<void*>(data)) + elements * size_of(type);
}

/// Element (i, j) of op(matrix), with leading dimension `ld`.
Complex element(const void* data, int type, int op, int64_t ld, int64_t i, int64_t j) {
  if (op == 0) return at(data, type, i + j * ld);
  const Complex value = at(data, type, j + i * ld);
  return op == 2 ? std::conj(value) : value;
}

void multiply(int ta, int tb, int64_t m, int64_t n, int64_t k, const void* a, int type_a, int64_t lda, const void* b,
              int type_b, int64_t ldb, void* c, int type_c, int64_t ldc) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      Complex sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += element(a, type_a, ta, lda, i, l) * element(b, type_b, tb, ldb, l, j);
      put(c, type_c, i + j * ldc, sum);
    }
  }
}

/// cuBLAS rejects leading dimensions that are too small.
bool is_refused(int op, int64_t rows, int64_t columns, int64_t ld) { return ld < (op == 0 ? rows : columns) || ld < 1; }

int gemv(int op, int type, int64_t m, int64_t n, const void* a, int64_t lda, const void* x, int64_t incx, void* y,
         int64_t incy) {
  if (lda < m || incx == 0 || incy == 0) return 7;
  for (int64_t i = 0; i < (op == 0 ? m : n); ++i) {
    Complex sum = 0;
    for (int64_t j = 0; j < (op == 0 ? n : m); ++j) sum += element(a, type, op, lda, i, j) * at(x, type, j * incx);
    put(y, type, i * incy, sum);
  }
  return note("gemv");
}

int dot(bool conjugate, int64_t n, const void* x, int type, int64_t incx, const void* y, int64_t incy, void* result) {
  if (!device_pointers) return 7;
  Complex sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += (conjugate ? std::conj(at(x, type, i * incx)) : at(x, type, i * incx)) * at(y, type, i * incy);
  put(result, type, 0, sum);
  return note("dot");
}

}  // namespace

extern "C" {

const char* simulated_last_call() { return last_call; }

int cublasCreate_v2(void** handle) { return simulated::fails_to_start() ? 1 : (*handle = last_call, 0); }
int cublasGetVersion_v2(void*, int* version) { return *version = 130000, 0; }
int cublasSetStream_v2(void*, void*) { return 0; }
int cublasSetWorkspace_v2(void*, void* memory, size_t) { return memory ? 0 : 7; }
int cublasSetPointerMode_v2(void*, int mode) { return device_pointers = mode == 1, 0; }

int cublasGemmEx_64(void*, int ta, int tb, int64_t m, int64_t n, int64_t k, const void*, const void* a, int type_a,
                    int64_t lda, const void* b, int type_b, int64_t ldb, const void*, void* c, int type_c, int64_t ldc,
                    int compute, int) {
  if (is_refused(ta, m, k, lda) || is_refused(tb, k, n, ldb) || ldc < m) return 7;
  multiply(ta, tb, m, n, k, a, type_a, lda, b, type_b, ldb, c, type_c, ldc);
  return note(compute == 77 ? "gemm_tf32" : "gemm");
}

int cublasGemmStridedBatchedEx_64(void*, int ta, int tb, int64_t m, int64_t n, int64_t k, const void*, const void* a,
                                  int type_a, int64_t lda, long long step_a, const void* b, int type_b, int64_t ldb,
                                  long long step_b, const void*, void* c, int type_c, int64_t ldc, long long step_c,
                                  int64_t count, int, int) {
  if (is_refused(ta, m, k, lda) || is_refused(tb, k, n, ldb) || ldc < m) return 7;
  for (int64_t i = 0; i < count; ++i) {
    multiply(ta, tb, m, n, k, moved(a, type_a, i * step_a), type_a, lda, moved(b, type_b, i * step_b), type_b, ldb,
             moved(c, type_c, i * step_c), type_c, ldc);
  }
  return note("gemm_strided");
}

int cublasGemmBatchedEx_64(void*, int ta, int tb, int64_t m, int64_t n, int64_t k, const void*, const void* const* a,
                           int type_a, int64_t lda, const void* const* b, int type_b, int64_t ldb, const void*,
                           void* const* c, int type_c, int64_t ldc, int64_t count, int, int) {
  if (is_refused(ta, m, k, lda) || is_refused(tb, k, n, ldb) || ldc < m) return 7;
  for (int64_t i = 0; i < count; ++i)
    multiply(ta, tb, m, n, k, a[i], type_a, lda, b[i], type_b, ldb, c[i], type_c, ldc);
  return note("gemm_batched");
}

int cublasDotEx_64(void*, int64_t n, const void* x, int type, int64_t incx, const void* y, int, int64_t incy, void* r,
                   int, int) {
  return dot(false, n, x, type, incx, y, incy, r);
}
int cublasDotcEx_64(void*, int64_t n, const void* x, int type, int64_t incx, const void* y, int, int64_t incy, void* r,
                    int, int) {
  return dot(true, n, x, type, incx, y, incy, r);
}

#define SIMULATED_GEMV(letter, type)                                                                                 \
  int cublas##letter##gemv_v2_64(void*, int op, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, \
                                 const void* x, int64_t incx, const void*, void* y, int64_t incy) {                  \
    if (reinterpret_cast<uintptr_t>(alpha) % size_of(type)) return 7;                                                \
    return gemv(op, type, m, n, a, lda, x, incx, y, incy);                                                           \
  }
SIMULATED_GEMV(S, 0)
SIMULATED_GEMV(D, 1)
SIMULATED_GEMV(C, 4)
SIMULATED_GEMV(Z, 5)

// B = op(A)^-1 B for a triangle on the left, or B op(A)^-1 on the right.
#define SIMULATED_TRSM(letter, T)                                                                              \
  int cublas##letter##trsm_v2_64(void*, int side, int fill, int op, int, int64_t m, int64_t n, const void*,    \
                                 const void* a, int64_t lda, void* b, int64_t ldb) {                           \
    if (lda < (side == 0 ? m : n) || ldb < m) return 7;                                                        \
    solve_triangle<T>(side == 0, fill == 0, op, m, n, static_cast<const T*>(a), lda, static_cast<T*>(b), ldb); \
    return 0;                                                                                                  \
  }
SIMULATED_TRSM(D, double)
SIMULATED_TRSM(Z, Complex)

#define SIMULATED_LU(letter, T)                                                                                       \
  int cublas##letter##getrfBatched(void*, int n, void* const* a, int lda, int* pivots, int* info, int count) {        \
    for (int i = 0; i < count; ++i) info[i] = factor<T>(n, static_cast<T*>(a[i]), lda, pivots + i * n);               \
    return 0;                                                                                                         \
  }                                                                                                                   \
  int cublas##letter##getrsBatched(void*, int op, int n, int sides, const void* const* a, int lda, const int* pivots, \
                                   void* const* b, int ldb, int* info, int count) {                                   \
    for (int i = 0; i < count; ++i)                                                                                   \
      solve_factored<T>(op, n, sides, static_cast<const T*>(a[i]), lda, pivots + i * n, static_cast<T*>(b[i]), ldb);  \
    return *info = 0;                                                                                                 \
  }
SIMULATED_LU(D, double)
SIMULATED_LU(Z, Complex)

}  // extern "C"
