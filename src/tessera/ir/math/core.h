/// Bit access, exact fma, rounding to integer and scaling by powers of two: the basis of the math library.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

/// A loop over a math function is vectorised only when the function is inlined.
#define TESSERA_MATH inline __attribute__((always_inline))

namespace tessera::math {

template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr float infinity_f = std::numeric_limits<float>::infinity();
inline constexpr float quiet_nan_f = std::numeric_limits<float>::quiet_NaN();

/// x * y + z rounded once, on every target; the only fused operation in the library.
TESSERA_MATH double fma_(double x, double y, double z) { return __builtin_fma(x, y, z); }
TESSERA_MATH float fma_(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

TESSERA_MATH uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }
TESSERA_MATH uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
TESSERA_MATH double from_bits(uint64_t b) { return std::bit_cast<double>(b); }
TESSERA_MATH float from_bits(uint32_t b) { return std::bit_cast<float>(b); }

/// Selects one of two values that are both computed: compilers convert other forms of selection into branches.
TESSERA_MATH double choose(bool condition, double yes, double no) {
  uint64_t mask = 0 - static_cast<uint64_t>(condition);
  return from_bits((bits(yes) & mask) | (bits(no) & ~mask));
}

TESSERA_MATH double fabs(double x) { return __builtin_fabs(x); }
TESSERA_MATH float fabs(float x) { return __builtin_fabsf(x); }
TESSERA_MATH double copysign(double x, double y) { return __builtin_copysign(x, y); }
TESSERA_MATH float copysign(float x, float y) { return __builtin_copysignf(x, y); }
TESSERA_MATH double sqrt(double x) { return __builtin_sqrt(x); }
TESSERA_MATH float sqrt(float x) { return __builtin_sqrtf(x); }

/// x / y where no intermediate comes near overflow or the subnormal range, or where the result does not depend on it.
/// Devices can then divide without range checks; x may be 0.
#ifdef TESSERA_MATH_BITCODE
extern "C" double tessera_math_moderate_quotient(double x, double y);
TESSERA_MATH double moderate_quotient(double x, double y) { return tessera_math_moderate_quotient(x, y); }
#else
TESSERA_MATH double moderate_quotient(double x, double y) { return x / y; }
#endif

template <Real T>
TESSERA_MATH bool is_nan(T x) {
  return x != x;
}
template <Real T>
TESSERA_MATH bool is_inf(T x) {
  return fabs(x) == std::numeric_limits<T>::infinity();
}
template <Real T>
TESSERA_MATH bool is_finite(T x) {
  return fabs(x) < std::numeric_limits<T>::infinity();
}
TESSERA_MATH bool sign_bit(double x) { return static_cast<int64_t>(bits(x)) < 0; }
TESSERA_MATH bool sign_bit(float x) { return static_cast<int32_t>(bits(x)) < 0; }

}  // namespace tessera::math
