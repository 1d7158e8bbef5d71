#include "tessera/bind/finite.h"

namespace tessera::bind {

namespace {

/// Counts elements whose exponent is all ones; plain integer work, so that it vectorises on any CPU.
template <class Bits>
bool none_saturated(const char* elements, int64_t n, Bits exponent) {
  const Bits* bits = reinterpret_cast<const Bits*>(elements);
  Bits found = 0;
  for (int64_t i = 0; i < n; ++i) found |= static_cast<Bits>((bits[i] & exponent) == exponent);
  return found == 0;
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

}  // namespace tessera::bind
