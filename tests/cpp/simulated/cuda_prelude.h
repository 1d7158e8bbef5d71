// CUDA C++ as C++ of the host, for the simulated device: enough of it for tests. A block's threads are threads of the
// host where the source waits at barriers, else iterations of a loop.
#pragma once

#include <atomic>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__ __attribute__((used))
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
};
#define TESSERA_VECTORS(T, name) \
  struct name##2 { T x, y; };    \
  struct name##3 { T x, y, z; }; \
  struct name##4 { T x, y, z, w; };
TESSERA_VECTORS(float, float)
TESSERA_VECTORS(double, double)
TESSERA_VECTORS(int, int)
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }

inline thread_local uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
constexpr int warpSize = 32;

namespace tessera_simulated {
inline std::mutex atomics;
inline std::barrier<>* barrier = nullptr;
alignas(16) inline char dynamic[1 << 18];

#ifdef TESSERA_HAS_BARRIERS
constexpr bool has_barriers = true;
#else
constexpr bool has_barriers = false;
#endif

template <auto kernel>
struct Launch;
template <class... Parameters, void (*kernel)(Parameters...)>
struct Launch<kernel> {
  static inline const size_t sizes[sizeof...(Parameters) + 1] = {sizeof(Parameters)...};
  static constexpr size_t count = sizeof...(Parameters);
  template <size_t... k>
  static void call(void* const* arguments, std::index_sequence<k...>) {
    kernel(*static_cast<std::remove_const_t<Parameters>*>(arguments[k])...);
  }
  static void run(const unsigned* blocks, const unsigned* threads, unsigned, void* const* arguments) {
    gridDim = {blocks[0], blocks[1], blocks[2]};
    blockDim = {threads[0], threads[1], threads[2]};
    const unsigned count = threads[0] * threads[1] * threads[2], total = blocks[0] * blocks[1] * blocks[2];
    const auto thread = [&](unsigned block, unsigned t) {
      blockIdx = {block % blocks[0], block / blocks[0] % blocks[1], block / blocks[0] / blocks[1]};
      threadIdx = {t % threads[0], t / threads[0] % threads[1], t / threads[0] / threads[1]};
      call(arguments, std::index_sequence_for<Parameters...>());
    };
    for (unsigned block = 0; block < total; ++block) {
      if (!has_barriers) {
        for (unsigned t = 0; t < count; ++t) thread(block, t);
        continue;
      }
      std::barrier<> all(count);
      barrier = &all;
      std::vector<std::thread> workers;
      for (unsigned t = 0; t < count; ++t)
        workers.emplace_back([&, t] {
          thread(block, t);
          all.arrive_and_drop();
        });
      for (std::thread& worker : workers) worker.join();
    }
  }
};
struct Kernel {
  const char* name;
  void (*run)(const unsigned*, const unsigned*, unsigned, void* const*);
  const size_t* sizes;
  size_t parameters;
};
}  // namespace tessera_simulated

inline void __syncthreads() { tessera_simulated::barrier->arrive_and_wait(); }
inline void __threadfence() {}
template <class T, class U>
T atomicAdd(T* at, U value) {
  const std::lock_guard lock(tessera_simulated::atomics);
  const T old = *at;
  *at = old + T(value);
  return old;
}
template <class T>
T atomicMax(T* at, T value) {
  const std::lock_guard lock(tessera_simulated::atomics);
  const T old = *at;
  if (value > old) *at = value;
  return old;
}
template <class A, class B>
auto min(A a, B b) {
  return a < b ? a : b;
}
template <class A, class B>
auto max(A a, B b) {
  return a > b ? a : b;
}
inline float __fmul_rn(float x, float y) { return x * y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
using std::isfinite;
using std::isinf;
using std::isnan;
