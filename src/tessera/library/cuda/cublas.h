/// Cublas: the cuBLAS functions that tessera uses, and one handle per device.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"
#include "tessera/runtime/device.h"

namespace tessera::library::cuda {

/// cudaDataType_t.
enum DataType : int { type_f32 = 0, type_f64 = 1, type_f16 = 2, type_c64 = 4, type_c128 = 5, type_bf16 = 14 };
DataType data_type(DType dtype);

enum Operation : int { op_none = 0, op_transpose = 1, op_conjugate = 2 };
enum Fill : int { fill_lower = 0, fill_upper = 1 };
enum Side : int { side_left = 0, side_right = 1 };
enum PointerMode : int { pointers_host = 0, pointers_device = 1 };
enum ComputeType : int { compute_f32 = 68, compute_tf32 = 77, compute_f64 = 70 };

// Arguments of routines that exist for several types.
#define TESSERA_GEMV \
  (void*, int, int64_t, int64_t, const void*, const void*, int64_t, const void*, int64_t, const void*, void*, int64_t)
#define TESSERA_TRSM (void*, int, int, int, int, int64_t, int64_t, const void*, const void*, int64_t, void*, int64_t)
#define TESSERA_GETRF (void*, int, void* const*, int, int*, int*, int)
#define TESSERA_GETRS (void*, int, int, int, const void* const*, int, const int*, void* const*, int, int*, int)

/// Member, symbol and arguments; all functions return a status.
#define TESSERA_CUBLAS_FUNCTIONS(X)                                                                                   \
  X(create, "cublasCreate_v2", (void**))                                                                              \
  X(get_version, "cublasGetVersion_v2", (void*, int*))                                                                \
  X(set_stream, "cublasSetStream_v2", (void*, void*))                                                                 \
  X(set_workspace, "cublasSetWorkspace_v2", (void*, void*, size_t))                                                   \
  X(set_pointer_mode, "cublasSetPointerMode_v2", (void*, int))                                                        \
  X(gemm, "cublasGemmEx_64",                                                                                          \
    (void*, int, int, int64_t, int64_t, int64_t, const void*, const void*, int, int64_t, const void*, int, int64_t,   \
     const void*, void*, int, int64_t, int, int))                                                                     \
  X(gemm_strided, "cublasGemmStridedBatchedEx_64",                                                                    \
    (void*, int, int, int64_t, int64_t, int64_t, const void*, const void*, int, int64_t, long long, const void*, int, \
     int64_t, long long, const void*, void*, int, int64_t, long long, int64_t, int, int))                             \
  X(gemm_batched, "cublasGemmBatchedEx_64",                                                                           \
    (void*, int, int, int64_t, int64_t, int64_t, const void*, const void* const*, int, int64_t, const void* const*,   \
     int, int64_t, const void*, void* const*, int, int64_t, int64_t, int, int))                                       \
  X(dot, "cublasDotEx_64", (void*, int64_t, const void*, int, int64_t, const void*, int, int64_t, void*, int, int))   \
  X(dotc, "cublasDotcEx_64", (void*, int64_t, const void*, int, int64_t, const void*, int, int64_t, void*, int, int)) \
  X(sgemv, "cublasSgemv_v2_64", TESSERA_GEMV)                                                                         \
  X(dgemv, "cublasDgemv_v2_64", TESSERA_GEMV)                                                                         \
  X(cgemv, "cublasCgemv_v2_64", TESSERA_GEMV)                                                                         \
  X(zgemv, "cublasZgemv_v2_64", TESSERA_GEMV)                                                                         \
  X(dtrsm, "cublasDtrsm_v2_64", TESSERA_TRSM)                                                                         \
  X(ztrsm, "cublasZtrsm_v2_64", TESSERA_TRSM)                                                                         \
  X(dgetrf, "cublasDgetrfBatched", TESSERA_GETRF)                                                                     \
  X(zgetrf, "cublasZgetrfBatched", TESSERA_GETRF)                                                                     \
  X(dgetrs, "cublasDgetrsBatched", TESSERA_GETRS)                                                                     \
  X(zgetrs, "cublasZgetrsBatched", TESSERA_GETRS)
struct Cublas {
#define TESSERA_CUBLAS_MEMBER(member, symbol, arguments) int(*member) arguments = nullptr;
  TESSERA_CUBLAS_FUNCTIONS(TESSERA_CUBLAS_MEMBER)
#undef TESSERA_CUBLAS_MEMBER
};

/// cuBLAS set up on the device's stream; the device becomes this thread's current one. Throws LibraryMissing.
struct CublasCall {
  explicit CublasCall(runtime::Device& device);
  const Cublas& table;
  void* handle;
};

/// Throws the error for a status, OutOfMemory or RuntimeError, naming op and shapes; does nothing on success.
void check_cublas(int status, const char* op, const std::string& shapes);

/// The scalar factors one and zero of a product, in the type it is computed in.
const void* one(DType dtype);
const void* zero(DType dtype);

}  // namespace tessera::library::cuda
