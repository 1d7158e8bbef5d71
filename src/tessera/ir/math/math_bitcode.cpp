// One C symbol per function and type, tessera_math_<opcode>_<f32|f64>, for the bitcode that compiled kernels inline.
#define TESSERA_MATH_BITCODE
#include "tessera/ir/math/math.h"

namespace m = tessera::math;

#define TESSERA_EXPORT __attribute__((always_inline, visibility("default")))
// A function call, so that a compiler for a device can substitute its own implementation.
extern "C" __attribute__((noinline, const, visibility("default"))) double tessera_math_moderate_quotient(double x,
                                                                                                         double y) {
  return x / y;
}
#define TESSERA_UNARY(name)                                                                   \
  extern "C" TESSERA_EXPORT double tessera_math_##name##_f64(double x) { return m::name(x); } \
  extern "C" TESSERA_EXPORT float tessera_math_##name##_f32(float x) { return m::name(x); }
#define TESSERA_BINARY(name)                                                                               \
  extern "C" TESSERA_EXPORT double tessera_math_##name##_f64(double x, double y) { return m::name(x, y); } \
  extern "C" TESSERA_EXPORT float tessera_math_##name##_f32(float x, float y) { return m::name(x, y); }

TESSERA_UNARY(sqrt)
TESSERA_UNARY(written_sqrt)
TESSERA_BINARY(written_div)
TESSERA_UNARY(cbrt)
TESSERA_UNARY(exp)
TESSERA_UNARY(exp2)
TESSERA_UNARY(expm1)
TESSERA_UNARY(log)
TESSERA_UNARY(log2)
TESSERA_UNARY(log10)
TESSERA_UNARY(log1p)
TESSERA_UNARY(sin)
TESSERA_UNARY(cos)
TESSERA_UNARY(tan)
TESSERA_UNARY(asin)
TESSERA_UNARY(acos)
TESSERA_UNARY(atan)
TESSERA_UNARY(sinh)
TESSERA_UNARY(cosh)
TESSERA_UNARY(tanh)
TESSERA_UNARY(asinh)
TESSERA_UNARY(acosh)
TESSERA_UNARY(atanh)
TESSERA_UNARY(erf)
TESSERA_UNARY(erfc)
TESSERA_UNARY(tgamma)
TESSERA_UNARY(lgamma)
TESSERA_UNARY(floor)
TESSERA_UNARY(ceil)
TESSERA_UNARY(trunc)
TESSERA_UNARY(rint)
TESSERA_UNARY(spacing)
TESSERA_UNARY(frexp_mantissa)
TESSERA_BINARY(pow)
TESSERA_BINARY(atan2)
TESSERA_BINARY(hypot)
TESSERA_BINARY(copysign)
TESSERA_BINARY(next_after)
TESSERA_BINARY(floor_div)
TESSERA_BINARY(floor_mod)
TESSERA_BINARY(min)
TESSERA_BINARY(max)
TESSERA_BINARY(min_num)
TESSERA_BINARY(max_num)

#define TESSERA_QUICK_DIVISION(type, suffix)                                                                    \
  extern "C" TESSERA_EXPORT bool tessera_math_divides_quickly_##suffix(type x, type y) {                        \
    return m::divide_quickly(x, y).is_right;                                                                    \
  }                                                                                                             \
  extern "C" TESSERA_EXPORT type tessera_math_quick_rem_##suffix(type x, type y) { return m::quick_rem(x, y); } \
  extern "C" TESSERA_EXPORT type tessera_math_quick_floor_div_##suffix(type x, type y) {                        \
    return m::quick_floor_div(x, y);                                                                            \
  }                                                                                                             \
  extern "C" TESSERA_EXPORT type tessera_math_quick_floor_mod_##suffix(type x, type y) {                        \
    return m::quick_floor_mod(x, y);                                                                            \
  }

TESSERA_QUICK_DIVISION(double, f64)
TESSERA_QUICK_DIVISION(float, f32)

extern "C" TESSERA_EXPORT double tessera_math_rem_f64(double x, double y) { return m::fmod(x, y); }
extern "C" TESSERA_EXPORT float tessera_math_rem_f32(float x, float y) { return m::fmod(x, y); }
extern "C" TESSERA_EXPORT double tessera_math_fma_f64(double x, double y, double z) { return m::fma_(x, y, z); }
extern "C" TESSERA_EXPORT float tessera_math_fma_f32(float x, float y, float z) { return m::fma_(x, y, z); }
extern "C" TESSERA_EXPORT double tessera_math_ldexp_f64(double x, int32_t k) { return m::ldexp(x, k); }
extern "C" TESSERA_EXPORT float tessera_math_ldexp_f32(float x, int32_t k) { return m::ldexp(x, k); }
extern "C" TESSERA_EXPORT int32_t tessera_math_frexp_exponent_f64(double x) { return m::frexp_exponent(x); }
extern "C" TESSERA_EXPORT int32_t tessera_math_frexp_exponent_f32(float x) { return m::frexp_exponent(x); }

#define TESSERA_DIVISION(type, suffix)                                                                            \
  extern "C" TESSERA_EXPORT type tessera_math_div_##suffix(type x, type y) { return m::integer_div<true>(x, y); } \
  extern "C" TESSERA_EXPORT type tessera_math_rem_##suffix(type x, type y) { return m::integer_rem<true>(x, y); } \
  extern "C" TESSERA_EXPORT type tessera_math_floor_div_##suffix(type x, type y) {                                \
    return m::integer_floor_div<true>(x, y);                                                                      \
  }                                                                                                               \
  extern "C" TESSERA_EXPORT type tessera_math_floor_mod_##suffix(type x, type y) {                                \
    return m::integer_floor_mod<true>(x, y);                                                                      \
  }

TESSERA_DIVISION(int8_t, int8)
TESSERA_DIVISION(int16_t, int16)
TESSERA_DIVISION(int32_t, int32)
TESSERA_DIVISION(int64_t, int64)
TESSERA_DIVISION(uint8_t, uint8)
TESSERA_DIVISION(uint16_t, uint16)
TESSERA_DIVISION(uint32_t, uint32)
TESSERA_DIVISION(uint64_t, uint64)
