// CUDA's complex numbers in C: cuFloatComplex and cuDoubleComplex.
#pragma once
#ifdef TESSERA_TRANSLATES_COMPLEX
#include "../include/cu_complex.cuh"
#else

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define TESSERA_COMPLEX(type, part, suffix, root)                                                               \
  TESSERA_MEMBER part cuCreal##suffix(type x) { return x.x; }                                                   \
  TESSERA_MEMBER part cuCimag##suffix(type x) { return x.y; }                                                   \
  TESSERA_MEMBER type cuConj##suffix(type x) { return {x.x, -x.y}; }                                            \
  TESSERA_MEMBER type cuCadd##suffix(type x, type y) { return {x.x + y.x, x.y + y.y}; }                         \
  TESSERA_MEMBER type cuCsub##suffix(type x, type y) { return {x.x - y.x, x.y - y.y}; }                         \
  TESSERA_MEMBER type cuCmul##suffix(type x, type y) { return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x}; } \
  TESSERA_FUNCTION type cuCdiv##suffix(type x, type y) {                                                        \
    part s = fabs(y.x) + fabs(y.y), o = 1 / s, a = x.x * o, b = x.y * o, c = y.x * o, d = y.y * o,              \
         q = 1 / (c * c + d * d);                                                                               \
    return {(a * c + b * d) * q, (b * c - a * d) * q};                                                          \
  }                                                                                                             \
  TESSERA_FUNCTION part cuCabs##suffix(type x) { return root(x.x, x.y); }                                       \
  TESSERA_MEMBER type cuCfma##suffix(type x, type y, type d) {                                                  \
    return {(x.x * y.x + d.x) - x.y * y.y, x.x * y.y + (x.y * y.x + d.y)};                                      \
  }
TESSERA_COMPLEX(cuFloatComplex, float, f, hypotf)
TESSERA_COMPLEX(cuDoubleComplex, double, , hypot)
#undef TESSERA_COMPLEX
TESSERA_MEMBER cuFloatComplex make_cuFloatComplex(float x, float y) { return {x, y}; }
TESSERA_MEMBER cuDoubleComplex make_cuDoubleComplex(double x, double y) { return {x, y}; }
TESSERA_MEMBER cuComplex make_cuComplex(float x, float y) { return {x, y}; }
TESSERA_MEMBER cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
TESSERA_MEMBER cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) { return {(float)x.x, (float)x.y}; }
#endif
