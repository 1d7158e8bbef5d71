/// Dispatch from a dtype to the C++ type that computes its products.
#pragma once

#include <complex>
#include <cstdint>
#include <utility>

#include "tessera/layout/dtype.h"

namespace tessera::library {

/// IEEE half and bfloat16 in memory format; sums are kept in float.
struct Half {
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};
/// NumPy's bool: products are "and", sums are "or".
struct Boolean {
  uint8_t value;
};

template <class T>
struct TypeTag {
  using type = T;
};

/// Signed integers are computed as unsigned ones of their width: the wrapped bits are the same, and overflow is
/// defined.
template <class F>
decltype(auto) with_element_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::boolean: return f(TypeTag<Boolean>{});
    case DType::int8:
    case DType::uint8: return f(TypeTag<uint8_t>{});
    case DType::int16:
    case DType::uint16: return f(TypeTag<uint16_t>{});
    case DType::int32:
    case DType::uint32: return f(TypeTag<uint32_t>{});
    case DType::int64:
    case DType::uint64: return f(TypeTag<uint64_t>{});
    case DType::float16: return f(TypeTag<Half>{});
    case DType::bfloat16: return f(TypeTag<Bfloat16>{});
    case DType::float32: return f(TypeTag<float>{});
    case DType::float64: return f(TypeTag<double>{});
    case DType::complex64: return f(TypeTag<std::complex<float>>{});
    case DType::complex128: return f(TypeTag<std::complex<double>>{});
  }
  std::unreachable();
}

/// The accumulator type for T, and the step sum + a * b.
template <class T>
struct Arithmetic {
  using Sum = T;
  static Sum load(T x) { return x; }
  static T store(Sum x) { return x; }
  static Sum multiply_add(Sum sum, Sum a, Sum b) {
    if constexpr (sizeof(T) < 4) {  // avoids the promotion to int, whose overflow is undefined
      return static_cast<T>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
    } else {
      return sum + a * b;
    }
  }
};

template <class R>
struct Arithmetic<std::complex<R>> {
  using Sum = std::complex<R>;
  static Sum load(Sum x) { return x; }
  static Sum store(Sum x) { return x; }
  static Sum multiply_add(Sum s, Sum a, Sum b) {
    return {s.real() + (a.real() * b.real() - a.imag() * b.imag()),
            s.imag() + (a.real() * b.imag() + a.imag() * b.real())};
  }
};

template <>
struct Arithmetic<Half> {
  using Sum = float;
  static float load(Half x) { return half_to_float(x.bits); }
  static Half store(float x) { return {float_to_half(x)}; }
  static float multiply_add(float sum, float a, float b) { return sum + a * b; }
};

template <>
struct Arithmetic<Bfloat16> {
  using Sum = float;
  static float load(Bfloat16 x) { return bfloat16_to_float(x.bits); }
  static Bfloat16 store(float x) { return {float_to_bfloat16(x)}; }
  static float multiply_add(float sum, float a, float b) { return sum + a * b; }
};

template <>
struct Arithmetic<Boolean> {
  using Sum = uint8_t;
  static uint8_t load(Boolean x) { return x.value != 0; }
  static Boolean store(uint8_t x) { return {x}; }
  static uint8_t multiply_add(uint8_t sum, uint8_t a, uint8_t b) { return sum | (a & b); }
};

}  // namespace tessera::library
