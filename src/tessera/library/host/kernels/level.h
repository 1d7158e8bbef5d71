/// Common prologue of the kernel sources. Each is compiled once per CPU level, into the namespace TESSERA_KERNEL_LEVEL,
/// and uses no inline function of another header: the linker would merge copies compiled with different flags.
#pragma once

#ifndef TESSERA_KERNEL_LEVEL
#define TESSERA_KERNEL_LEVEL level_v2
#endif

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "tessera/library/host/kernels/kernels.h"

namespace tessera::library::TESSERA_KERNEL_LEVEL {

template <DType dtype, class T>
struct Tagged {
  static constexpr int index = static_cast<int>(dtype);
  using Type = T;
};

/// Calls f with a Tagged for each dtype that is a single C number type.
template <class F>
void for_each_number(F&& f) {
  f(Tagged<DType::int8, int8_t>{});
  f(Tagged<DType::uint8, uint8_t>{});
  f(Tagged<DType::int16, int16_t>{});
  f(Tagged<DType::uint16, uint16_t>{});
  f(Tagged<DType::int32, int32_t>{});
  f(Tagged<DType::uint32, uint32_t>{});
  f(Tagged<DType::int64, int64_t>{});
  f(Tagged<DType::uint64, uint64_t>{});
  f(Tagged<DType::float32, float>{});
  f(Tagged<DType::float64, double>{});
}

}  // namespace tessera::library::TESSERA_KERNEL_LEVEL
