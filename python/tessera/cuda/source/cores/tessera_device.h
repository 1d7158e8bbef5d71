// CUDA C++'s own names for kernels on the cores; clang reads this before every source. Codegen replaces the functions
// that begin with __tessera (codegen/cuda_cpp/builtins.cpp).
#pragma once

#define TESSERA_CORES 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __restrict __restrict__
#define __maxnreg__(n)

#define TESSERA_FUNCTION static __inline__ __attribute__((device, always_inline, unused))
#define TESSERA_MEMBER __inline__ __attribute__((host, device, always_inline))
#define TESSERA_FUNCTION_MEMBER __inline__ __attribute__((device, always_inline))
#define TESSERA_OUTSIDE extern "C" __attribute__((device))

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;
typedef unsigned long ulong;
typedef long long clock_t;
#ifndef NULL
#define NULL __null
#endif

#include "tessera_types.h"
#include "tessera_vectors.h"

// ---- coordinates

TESSERA_OUTSIDE __attribute__((const)) unsigned __tessera_thread(int axis);
TESSERA_OUTSIDE __attribute__((const)) unsigned __tessera_block(int axis);
TESSERA_OUTSIDE __attribute__((const)) unsigned __tessera_block_extent(int axis);
TESSERA_OUTSIDE __attribute__((const)) unsigned __tessera_grid_extent(int axis);
TESSERA_OUTSIDE __attribute__((const)) unsigned __tessera_linear_thread();
TESSERA_OUTSIDE __attribute__((const)) unsigned __tessera_shared_bytes();

#define TESSERA_COORDINATE(axis, from, number)          \
  __declspec(property(get = get_##axis)) unsigned axis; \
  static __inline__ __attribute__((device, always_inline)) unsigned get_##axis() { return from(number); }
#define TESSERA_COORDINATES(type, from)                                                       \
  struct type {                                                                               \
    TESSERA_COORDINATE(x, from, 0)                                                            \
    TESSERA_COORDINATE(y, from, 1)                                                            \
    TESSERA_COORDINATE(z, from, 2)                                                            \
    __attribute__((device)) operator dim3() const { return dim3(get_x(), get_y(), get_z()); } \
    __attribute__((device)) operator uint3() const { return {get_x(), get_y(), get_z()}; }    \
  };
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wlanguage-extension-token"
TESSERA_COORDINATES(__tessera_thread_index, __tessera_thread)
TESSERA_COORDINATES(__tessera_block_index, __tessera_block)
TESSERA_COORDINATES(__tessera_block_size, __tessera_block_extent)
TESSERA_COORDINATES(__tessera_grid_size, __tessera_grid_extent)
#pragma clang diagnostic pop
extern const __attribute__((device, weak)) __tessera_thread_index threadIdx;
extern const __attribute__((device, weak)) __tessera_block_index blockIdx;
extern const __attribute__((device, weak)) __tessera_block_size blockDim;
extern const __attribute__((device, weak)) __tessera_grid_size gridDim;
static const int warpSize __attribute__((device, unused)) = 32;

// ---- meetings

TESSERA_OUTSIDE __attribute__((convergent)) void __tessera_meet(int kind, unsigned mask);
TESSERA_OUTSIDE void __tessera_publish(unsigned long long word);
TESSERA_OUTSIDE unsigned long long __tessera_visible(unsigned lane);
TESSERA_OUTSIDE unsigned __tessera_vote();
TESSERA_OUTSIDE int __tessera_count();
TESSERA_OUTSIDE int __tessera_arrived();
TESSERA_OUTSIDE void __tessera_fail(const char* what, const char* file, unsigned line);

TESSERA_FUNCTION void __tessera_syncthreads() { __tessera_meet(1, 0); }
#define __syncthreads() __tessera_syncthreads()  // clang has a function of that name
TESSERA_FUNCTION int __syncthreads_count(int predicate) {
  __tessera_publish(predicate != 0);
  __tessera_meet(2, 0);
  return __tessera_count();
}
TESSERA_FUNCTION int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
TESSERA_FUNCTION int __syncthreads_and(int predicate) {
  int count = __syncthreads_count(predicate);
  return count == __tessera_arrived();
}
TESSERA_FUNCTION void __syncwarp(unsigned mask = 0xffffffffu) { __tessera_meet(3, mask); }
TESSERA_FUNCTION void __barrier_sync(unsigned) { __tessera_meet(1, 0); }
TESSERA_FUNCTION void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
TESSERA_FUNCTION void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
TESSERA_FUNCTION void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#include "tessera_atomic.h"
#include "tessera_integer.h"
#include "tessera_math.h"
#include "tessera_memory.h"
#include "tessera_missing.h"
#include "tessera_warp.h"
