/// element_cast: converts one element between two C++ types as NumPy's casts do.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tessera/layout/dtype.h"

namespace tessera {

/// The C++ types that represent float16 and bfloat16 elements.
struct Half {
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};

template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;
template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

inline float widen(Half h) { return half_to_float(h.bits); }
inline float widen(Bfloat16 b) { return bfloat16_to_float(b.bits); }

/// Truncates; out-of-range values and NaN give the results of x86's conversion instructions.
template <class To, class From>
To float_to_integer(From value) {
  using Wide = std::conditional_t<(sizeof(To) < 4) || std::is_same_v<To, int32_t>, int32_t, int64_t>;
  constexpr From limit = -static_cast<From>(std::numeric_limits<Wide>::min());
  auto convert = [](From x) {
    return x >= -limit && x < limit ? static_cast<Wide>(x) : std::numeric_limits<Wide>::min();
  };
  if constexpr (std::is_same_v<To, uint64_t>) {
    if (value >= limit) return static_cast<To>(convert(value - limit)) ^ (uint64_t{1} << 63);
  }
  return static_cast<To>(convert(value));
}

/// Complex to real drops the imaginary part; conversion to boolean tests for nonzero.
template <class To, class From>
To element_cast(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_small_float<From>) {
    if constexpr (std::is_same_v<To, bool>)
      return (value.bits & 0x7FFF) != 0;
    else
      return element_cast<To>(widen(value));
  } else if constexpr (is_complex_type<From>) {
    if constexpr (is_complex_type<To>) {
      using Part = typename To::value_type;
      return {static_cast<Part>(value.real()), static_cast<Part>(value.imag())};
    } else if constexpr (std::is_same_v<To, bool>) {
      return value.real() != 0 || value.imag() != 0;
    } else {
      return element_cast<To>(value.real());
    }
  } else if constexpr (is_complex_type<To>) {
    return {element_cast<typename To::value_type>(value), 0};
  } else if constexpr (std::is_same_v<To, Half>) {
    if constexpr (std::is_same_v<From, double>)
      return {double_to_half(value)};
    else
      return {float_to_half(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<To, Bfloat16>) {
    return {float_to_bfloat16(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return float_to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

/// Calls f(T{}) with the C++ type of dtype.
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::boolean: return f(bool{});
    case DType::int8: return f(int8_t{});
    case DType::uint8: return f(uint8_t{});
    case DType::int16: return f(int16_t{});
    case DType::uint16: return f(uint16_t{});
    case DType::int32: return f(int32_t{});
    case DType::uint32: return f(uint32_t{});
    case DType::int64: return f(int64_t{});
    case DType::uint64: return f(uint64_t{});
    case DType::float16: return f(Half{});
    case DType::bfloat16: return f(Bfloat16{});
    case DType::float32: return f(float{});
    case DType::float64: return f(double{});
    case DType::complex64: return f(std::complex<float>{});
    case DType::complex128: return f(std::complex<double>{});
  }
  __builtin_unreachable();
}

}  // namespace tessera
