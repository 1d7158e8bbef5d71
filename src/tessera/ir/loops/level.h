/// Common prologue of the loop sources. Each is compiled once per CPU level, into the namespace TESSERA_LOOP_LEVEL.
#pragma once

#ifndef TESSERA_LOOP_LEVEL
#define TESSERA_LOOP_LEVEL level_v2
#endif

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "tessera/ir/loops/families.h"

// Code of one level must never run on another: the linker would merge inline functions compiled with different flags.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((internal_linkage)), apply_to = function)
#include "tessera/ir/math/math.h"
#if defined(__AVX512F__)
#include "tessera/ir/math/pack.h"
#endif
#pragma clang attribute pop
#define TESSERA_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
#define TESSERA_VECTORIZE_SINGLY _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define TESSERA_VECTORIZE_INTERLEAVED _Pragma("clang loop vectorize(assume_safety) interleave_count(4)")
#else
#include "tessera/ir/math/math.h"
#if defined(__AVX512F__)
#include "tessera/ir/math/pack.h"
#endif
#define TESSERA_VECTORIZE _Pragma("GCC ivdep")
#define TESSERA_VECTORIZE_SINGLY TESSERA_VECTORIZE
#define TESSERA_VECTORIZE_INTERLEAVED TESSERA_VECTORIZE
#endif

namespace tessera::ir::TESSERA_LOOP_LEVEL {

/// The size of one vector register in bytes.
#if defined(__AVX512F__)
inline constexpr int64_t vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int64_t vector_bytes = 32;
#else
inline constexpr int64_t vector_bytes = 16;
#endif

}  // namespace tessera::ir::TESSERA_LOOP_LEVEL
