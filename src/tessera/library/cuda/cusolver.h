/// Cusolver: the cuSOLVER functions that tessera uses, and one handle per device.
#pragma once

#include <cstdint>

#include "tessera/library/unlocking.h"
#include "tessera/runtime/device.h"

namespace tessera::library::cuda {

#define TESSERA_CUSOLVER_SIZES size_t*, size_t*
#define TESSERA_CUSOLVER_WORK void*, size_t, void*, size_t, int*
/// Member, symbol and arguments; all functions return a status.
#define TESSERA_CUSOLVER_FUNCTIONS(X)                                                                                \
  X(create, "cusolverDnCreate", (void**))                                                                            \
  X(set_stream, "cusolverDnSetStream", (void*, void*))                                                               \
  X(create_parameters, "cusolverDnCreateParams", (void**))                                                           \
  X(getrf_size, "cusolverDnXgetrf_bufferSize",                                                                       \
    (void*, void*, int64_t, int64_t, int, const void*, int64_t, int, TESSERA_CUSOLVER_SIZES))                        \
  X(getrf, "cusolverDnXgetrf",                                                                                       \
    (void*, void*, int64_t, int64_t, int, void*, int64_t, int64_t*, int, TESSERA_CUSOLVER_WORK))                     \
  X(getrs, "cusolverDnXgetrs",                                                                                       \
    (void*, void*, int, int64_t, int64_t, int, const void*, int64_t, const int64_t*, int, void*, int64_t, int*))     \
  X(potrf_size, "cusolverDnXpotrf_bufferSize",                                                                       \
    (void*, void*, int, int64_t, int, const void*, int64_t, int, TESSERA_CUSOLVER_SIZES))                            \
  X(potrf, "cusolverDnXpotrf", (void*, void*, int, int64_t, int, void*, int64_t, int, TESSERA_CUSOLVER_WORK))        \
  X(geqrf_size, "cusolverDnXgeqrf_bufferSize",                                                                       \
    (void*, void*, int64_t, int64_t, int, const void*, int64_t, int, const void*, int, TESSERA_CUSOLVER_SIZES))      \
  X(geqrf, "cusolverDnXgeqrf",                                                                                       \
    (void*, void*, int64_t, int64_t, int, void*, int64_t, int, void*, int, TESSERA_CUSOLVER_WORK))                   \
  X(dorgqr_size, "cusolverDnDorgqr_bufferSize", (void*, int, int, int, const void*, int, const void*, int*))         \
  X(dorgqr, "cusolverDnDorgqr", (void*, int, int, int, void*, int, const void*, void*, int, int*))                   \
  X(zungqr_size, "cusolverDnZungqr_bufferSize", (void*, int, int, int, const void*, int, const void*, int*))         \
  X(zungqr, "cusolverDnZungqr", (void*, int, int, int, void*, int, const void*, void*, int, int*))                   \
  X(syevd_size, "cusolverDnXsyevd_bufferSize",                                                                       \
    (void*, void*, int, int, int64_t, int, const void*, int64_t, int, const void*, int, TESSERA_CUSOLVER_SIZES))     \
  X(syevd, "cusolverDnXsyevd",                                                                                       \
    (void*, void*, int, int, int64_t, int, void*, int64_t, int, void*, int, TESSERA_CUSOLVER_WORK))                  \
  X(gesvd_size, "cusolverDnXgesvd_bufferSize",                                                                       \
    (void*, void*, signed char, signed char, int64_t, int64_t, int, const void*, int64_t, int, const void*, int,     \
     const void*, int64_t, int, const void*, int64_t, int, TESSERA_CUSOLVER_SIZES))                                  \
  X(gesvd, "cusolverDnXgesvd",                                                                                       \
    (void*, void*, signed char, signed char, int64_t, int64_t, int, void*, int64_t, int, void*, int, void*, int64_t, \
     int, void*, int64_t, int, TESSERA_CUSOLVER_WORK))

struct Cusolver {
#define TESSERA_CUSOLVER_MEMBER(member, symbol, arguments) int(*member) arguments = nullptr;
  TESSERA_CUSOLVER_FUNCTIONS(TESSERA_CUSOLVER_MEMBER)
#undef TESSERA_CUSOLVER_MEMBER
};

/// cuSOLVER set up on the device's stream, for one thread at a time. Throws LibraryMissing.
struct CusolverCall {
  explicit CusolverCall(runtime::Device& device);
  const Cusolver& table;
  void* handle;
  void* parameters;
  HeldMutex held;
};

/// Throws the error for a status, OutOfMemory or RuntimeError, naming op and shapes; does nothing on success.
void check_cusolver(int status, const char* op, const std::string& shapes);

}  // namespace tessera::library::cuda
