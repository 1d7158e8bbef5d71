#include "tessera/eager/finite.h"

#include <algorithm>

namespace tessera::eager {

namespace {

// Plain integer work on exponents, compiled for each vector width; the dynamic loader selects one, before a race
// detector is initialised.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TESSERA_EACH_WIDTH
#endif
#endif
#ifndef TESSERA_EACH_WIDTH
#define TESSERA_EACH_WIDTH __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif

TESSERA_EACH_WIDTH bool none_saturated(const uint64_t* bits, int64_t n, uint64_t exponent) {
  uint64_t found = 0;  // the largest exponent
  for (int64_t i = 0; i < n; ++i) found = std::max(found, bits[i] & exponent);
  return found != exponent;
}

TESSERA_EACH_WIDTH bool none_saturated(const uint32_t* bits, int64_t n, uint32_t exponent) {
  uint32_t found = 0;
  for (int64_t i = 0; i < n; ++i) found = std::max(found, bits[i] & exponent);
  return found != exponent;
}

TESSERA_EACH_WIDTH bool none_saturated(const uint16_t* bits, int64_t n, uint16_t exponent) {
  uint16_t found = 0;
  for (int64_t i = 0; i < n; ++i) found = std::max<uint16_t>(found, bits[i] & exponent);
  return found != exponent;
}

#undef TESSERA_EACH_WIDTH

template <class Bits>
bool none_saturated(const char* elements, int64_t n, Bits exponent) {
  return none_saturated(reinterpret_cast<const Bits*>(elements), n, exponent);
}

}  // namespace

bool all_finite(DType dtype, const char* elements, int64_t n) {
  switch (dtype) {
    case DType::float64: return none_saturated<uint64_t>(elements, n, 0x7FF0000000000000u);
    case DType::complex128: return none_saturated<uint64_t>(elements, 2 * n, 0x7FF0000000000000u);
    case DType::float32: return none_saturated<uint32_t>(elements, n, 0x7F800000u);
    case DType::complex64: return none_saturated<uint32_t>(elements, 2 * n, 0x7F800000u);
    case DType::float16: return none_saturated<uint16_t>(elements, n, 0x7C00u);
    case DType::bfloat16: return none_saturated<uint16_t>(elements, n, 0x7F80u);
    default: return true;
  }
}

}  // namespace tessera::eager
