// Mathematical functions. The library of the process computes them, or tessera's own where codegen puts it in its
// place.
#pragma once

#define TESSERA_OF_INTEGER(T) typename std::enable_if<std::is_integral<T>::value, double>::type
#define TESSERA_ONE(name)                                     \
  TESSERA_OUTSIDE double name(double);                        \
  TESSERA_OUTSIDE float name##f(float);                       \
  TESSERA_FUNCTION float name(float x) { return name##f(x); } \
  template <class T>                                          \
  TESSERA_FUNCTION TESSERA_OF_INTEGER(T) name(T x) {          \
    return name((double)x);                                   \
  }
#define TESSERA_TWO(name)                                                                                              \
  TESSERA_OUTSIDE double name(double, double);                                                                         \
  TESSERA_OUTSIDE float name##f(float, float);                                                                         \
  TESSERA_FUNCTION float name(float x, float y) { return name##f(x, y); }                                              \
  template <class T, class U>                                                                                          \
  TESSERA_FUNCTION typename std::enable_if<std::is_arithmetic<T>::value && std::is_arithmetic<U>::value, double>::type \
  name(T x, U y) {                                                                                                     \
    return name((double)x, (double)y);                                                                                 \
  }

TESSERA_ONE(acos)
TESSERA_ONE(acosh)
TESSERA_ONE(asin)
TESSERA_ONE(asinh)
TESSERA_ONE(atan)
TESSERA_ONE(atanh)
TESSERA_ONE(cbrt)
TESSERA_ONE(ceil)
TESSERA_ONE(cos)
TESSERA_ONE(cosh)
TESSERA_ONE(erf)
TESSERA_ONE(erfc)
TESSERA_ONE(exp)
TESSERA_ONE(exp2)
TESSERA_ONE(expm1)
TESSERA_ONE(fabs)
TESSERA_ONE(floor)
TESSERA_ONE(j0)
TESSERA_ONE(j1)
TESSERA_ONE(lgamma)
TESSERA_ONE(log)
TESSERA_ONE(log10)
TESSERA_ONE(log1p)
TESSERA_ONE(log2)
TESSERA_ONE(logb)
TESSERA_ONE(nearbyint)
TESSERA_ONE(rint)
TESSERA_ONE(round)
TESSERA_ONE(sin)
TESSERA_ONE(sinh)
TESSERA_ONE(sqrt)
TESSERA_ONE(tan)
TESSERA_ONE(tanh)
TESSERA_ONE(tgamma)
TESSERA_ONE(trunc)
TESSERA_ONE(y0)
TESSERA_ONE(y1)
TESSERA_TWO(atan2)
TESSERA_TWO(copysign)
TESSERA_TWO(fdim)
TESSERA_TWO(fmax)
TESSERA_TWO(fmin)
TESSERA_TWO(fmod)
TESSERA_TWO(hypot)
TESSERA_TWO(nextafter)
TESSERA_TWO(pow)
TESSERA_TWO(remainder)
#undef TESSERA_ONE
#undef TESSERA_TWO

TESSERA_OUTSIDE double frexp(double, int*);
TESSERA_OUTSIDE float frexpf(float, int*);
TESSERA_OUTSIDE double ldexp(double, int);
TESSERA_OUTSIDE float ldexpf(float, int);
TESSERA_OUTSIDE double modf(double, double*);
TESSERA_OUTSIDE float modff(float, float*);
TESSERA_OUTSIDE int ilogb(double);
TESSERA_OUTSIDE int ilogbf(float);
TESSERA_OUTSIDE double jn(int, double);
TESSERA_OUTSIDE float jnf(int, float);
TESSERA_OUTSIDE double yn(int, double);
TESSERA_OUTSIDE float ynf(int, float);
TESSERA_OUTSIDE double fma(double, double, double);
TESSERA_OUTSIDE float fmaf(float, float, float);
TESSERA_FUNCTION float frexp(float x, int* e) { return frexpf(x, e); }
TESSERA_FUNCTION float ldexp(float x, int e) { return ldexpf(x, e); }
TESSERA_FUNCTION double scalbn(double x, int e) { return ldexp(x, e); }
TESSERA_FUNCTION float scalbnf(float x, int e) { return ldexpf(x, e); }
TESSERA_FUNCTION float scalbn(float x, int e) { return ldexpf(x, e); }
TESSERA_FUNCTION float modf(float x, float* whole) { return modff(x, whole); }
TESSERA_FUNCTION int ilogb(float x) { return ilogbf(x); }
TESSERA_FUNCTION float fma(float x, float y, float z) { return fmaf(x, y, z); }

// C leaves the sign of the integer power's rounding open; CUDA has pow(T, int), too.
TESSERA_FUNCTION double powi(double x, int n) { return pow(x, (double)n); }
TESSERA_FUNCTION float powif(float x, int n) { return powf(x, (float)n); }

TESSERA_FUNCTION double rsqrt(double x) { return 1.0 / sqrt(x); }
TESSERA_FUNCTION float rsqrtf(float x) { return (float)(1.0 / sqrt((double)x)); }
TESSERA_FUNCTION float rsqrt(float x) { return rsqrtf(x); }
TESSERA_FUNCTION double rcbrt(double x) { return 1.0 / cbrt(x); }
TESSERA_FUNCTION float rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
TESSERA_FUNCTION double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
TESSERA_FUNCTION float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
TESSERA_FUNCTION double norm3d(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }
TESSERA_FUNCTION float norm3df(float x, float y, float z) { return (float)norm3d(x, y, z); }
TESSERA_FUNCTION double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
TESSERA_FUNCTION float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
TESSERA_FUNCTION double norm4d(double x, double y, double z, double w) { return sqrt(x * x + y * y + z * z + w * w); }
TESSERA_FUNCTION float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
TESSERA_FUNCTION double exp10(double x) { return pow(10.0, x); }
TESSERA_FUNCTION float exp10f(float x) { return (float)pow(10.0, (double)x); }
TESSERA_FUNCTION float exp10(float x) { return exp10f(x); }
// Reduced exactly, as an even or odd number of halves is: sin(pi x).
TESSERA_FUNCTION double sinpi(double x) {
  double r = remainder(x, 2.0);
  if (fabs(r) > 0.5) r = copysign(1.0, r) - r;
  return r == 0 ? r : sin(3.14159265358979323846 * r);
}
TESSERA_FUNCTION double cospi(double x) {
  double r = fabs(remainder(x, 2.0));
  return r == 0.5 ? 0.0 : cos(3.14159265358979323846 * r);
}
TESSERA_FUNCTION float sinpif(float x) { return (float)sinpi((double)x); }
TESSERA_FUNCTION float cospif(float x) { return (float)cospi((double)x); }
TESSERA_FUNCTION float sinpi(float x) { return sinpif(x); }
TESSERA_FUNCTION float cospi(float x) { return cospif(x); }
TESSERA_FUNCTION void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
TESSERA_FUNCTION void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
TESSERA_FUNCTION void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
TESSERA_FUNCTION void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
TESSERA_FUNCTION void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
TESSERA_FUNCTION double normcdf(double x) { return 0.5 * erfc(-0.70710678118654752440 * x); }
TESSERA_FUNCTION float normcdff(float x) { return (float)normcdf((double)x); }
TESSERA_FUNCTION double erfcx(double x) {
  return x < 25 ? exp(x * x) * erfc(x) : 0.56418958354775628695 / x * (1 - 0.5 / (x * x));
}
TESSERA_FUNCTION float erfcxf(float x) { return (float)erfcx((double)x); }
// By Newton's steps on erf, which double the digits of a first guess.
TESSERA_FUNCTION double erfinv(double y) {
  if (!(y > -1.0 && y < 1.0)) return y == 1.0 ? __builtin_inf() : y == -1.0 ? -__builtin_inf() : __builtin_nan("");
  double w = log((1.0 - y) * (1.0 + y)), a = 4.3307467508 + w / 2;  // 2 / (pi * 0.147)
  double x = copysign(sqrt(sqrt(a * a - w / 0.147) - a), y);
  for (int k = 0; k < 4; ++k) {
    double e = (fabs(y) < 0.5 ? erf(x) - y
                : y > 0       ? (1.0 - y) - erfc(x)
                              : erfc(-x) - (1.0 + y)) /
               (1.12837916709551257390 * exp(-x * x));
    x -= e / (1 + x * e);
  }
  return x;
}
TESSERA_FUNCTION float erfinvf(float y) { return (float)erfinv((double)y); }
TESSERA_FUNCTION double erfcinv(double y) {
  if (y > 0.0625 || !(y > 0)) return y == 0 ? __builtin_inf() : erfinv(1.0 - y);
  double t = sqrt(-2 * log(y / 2)),
         x = 0.70710678118654752440 *
             (t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (int k = 0; k < 4; ++k) {
    double e = (erfc(x) - y) / (-1.12837916709551257390 * exp(-x * x));
    x -= e / (1 + x * e);
  }
  return x;
}
TESSERA_FUNCTION float erfcinvf(float y) { return (float)erfcinv((double)y); }
TESSERA_FUNCTION double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2 * p); }
TESSERA_FUNCTION float normcdfinvf(float p) { return (float)normcdfinv((double)p); }
TESSERA_FUNCTION long long llrint(double x) { return (long long)rint(x); }
TESSERA_FUNCTION long long llround(double x) { return (long long)round(x); }
TESSERA_FUNCTION long lrint(double x) { return (long)rint(x); }
TESSERA_FUNCTION long lround(double x) { return (long)round(x); }
TESSERA_FUNCTION long long llrintf(float x) { return (long long)rintf(x); }
TESSERA_FUNCTION long long llroundf(float x) { return (long long)roundf(x); }
TESSERA_FUNCTION long lrintf(float x) { return (long)rintf(x); }
TESSERA_FUNCTION long lroundf(float x) { return (long)roundf(x); }
TESSERA_FUNCTION double nan(const char*) { return __builtin_nan(""); }
TESSERA_FUNCTION float nanf(const char*) { return __builtin_nanf(""); }

#define TESSERA_TEST(name, of)                                \
  TESSERA_FUNCTION bool name(double x) { return of(x) != 0; } \
  TESSERA_FUNCTION bool name(float x) { return of(x) != 0; }
TESSERA_TEST(isnan, __builtin_isnan)
TESSERA_TEST(isinf, __builtin_isinf)
TESSERA_TEST(isfinite, __builtin_isfinite)
TESSERA_TEST(signbit, __builtin_signbit)
TESSERA_TEST(isnormal, __builtin_isnormal)
#undef TESSERA_TEST

// Integers of C, and the larger and smaller of two of any types.
TESSERA_FUNCTION int abs(int x) { return x < 0 ? -x : x; }
TESSERA_FUNCTION long labs(long x) { return x < 0 ? -x : x; }
TESSERA_FUNCTION long long llabs(long long x) { return x < 0 ? -x : x; }
TESSERA_FUNCTION long abs(long x) { return labs(x); }
TESSERA_FUNCTION long long abs(long long x) { return llabs(x); }
TESSERA_FUNCTION float abs(float x) { return fabsf(x); }
TESSERA_FUNCTION double abs(double x) { return fabs(x); }
#define TESSERA_EXTREMES(A, B, C)                                        \
  TESSERA_FUNCTION C min(A a, B b) { return (C)a < (C)b ? (C)a : (C)b; } \
  TESSERA_FUNCTION C max(A a, B b) { return (C)a > (C)b ? (C)a : (C)b; }
TESSERA_EXTREMES(int, int, int)
TESSERA_EXTREMES(unsigned, unsigned, unsigned)
TESSERA_EXTREMES(int, unsigned, unsigned)
TESSERA_EXTREMES(unsigned, int, unsigned)
TESSERA_EXTREMES(long, long, long)
TESSERA_EXTREMES(unsigned long, unsigned long, unsigned long)
TESSERA_EXTREMES(long, unsigned long, unsigned long)
TESSERA_EXTREMES(unsigned long, long, unsigned long)
TESSERA_EXTREMES(long long, long long, long long)
TESSERA_EXTREMES(unsigned long long, unsigned long long, unsigned long long)
TESSERA_EXTREMES(long long, unsigned long long, unsigned long long)
TESSERA_EXTREMES(unsigned long long, long long, unsigned long long)
TESSERA_EXTREMES(short, short, int)
TESSERA_EXTREMES(unsigned short, unsigned short, int)
TESSERA_EXTREMES(char, char, int)
TESSERA_EXTREMES(signed char, signed char, int)
TESSERA_EXTREMES(unsigned char, unsigned char, int)
#undef TESSERA_EXTREMES
#define TESSERA_EXTREMES(A, B, f)                                                                \
  TESSERA_FUNCTION std::conditional_t<sizeof(A) + sizeof(B) == 8, float, double> min(A a, B b) { \
    return fmin##f(a, b);                                                                        \
  }                                                                                              \
  TESSERA_FUNCTION std::conditional_t<sizeof(A) + sizeof(B) == 8, float, double> max(A a, B b) { return fmax##f(a, b); }
TESSERA_EXTREMES(float, float, f)
TESSERA_EXTREMES(double, double, )
TESSERA_EXTREMES(float, double, )
TESSERA_EXTREMES(double, float, )
#undef TESSERA_EXTREMES
TESSERA_FUNCTION unsigned umin(unsigned a, unsigned b) { return min(a, b); }
TESSERA_FUNCTION unsigned umax(unsigned a, unsigned b) { return max(a, b); }
TESSERA_FUNCTION long long llmin(long long a, long long b) { return min(a, b); }
TESSERA_FUNCTION long long llmax(long long a, long long b) { return max(a, b); }

// Operations with a rounding: to the nearest is what the language does. Others are not on the cores.
TESSERA_FUNCTION float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
TESSERA_FUNCTION float __fadd_rn(float x, float y) { _Pragma("clang fp contract(off)") return x + y; }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fadd_rn, which rounds to the nearest"))) float
__fadd_rz(float x, float y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fadd_rn, which rounds to the nearest"))) float
__fadd_ru(float x, float y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fadd_rn, which rounds to the nearest"))) float
__fadd_rd(float x, float y);
TESSERA_FUNCTION float __fsub_rn(float x, float y) { _Pragma("clang fp contract(off)") return x - y; }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fsub_rn, which rounds to the nearest"))) float
__fsub_rz(float x, float y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fsub_rn, which rounds to the nearest"))) float
__fsub_ru(float x, float y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fsub_rn, which rounds to the nearest"))) float
__fsub_rd(float x, float y);
TESSERA_FUNCTION float __fmul_rn(float x, float y) { _Pragma("clang fp contract(off)") return x * y; }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fmul_rn, which rounds to the nearest"))) float
__fmul_rz(float x, float y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fmul_rn, which rounds to the nearest"))) float
__fmul_ru(float x, float y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fmul_rn, which rounds to the nearest"))) float
__fmul_rd(float x, float y);
TESSERA_FUNCTION float __fdiv_rn(float x, float y) { _Pragma("clang fp contract(off)") return x / y; }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fdiv_rn, which rounds to the nearest"))) float
__fdiv_rz(float x, float y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fdiv_rn, which rounds to the nearest"))) float
__fdiv_ru(float x, float y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fdiv_rn, which rounds to the nearest"))) float
__fdiv_rd(float x, float y);
TESSERA_FUNCTION float __frcp_rn(float x) { _Pragma("clang fp contract(off)") return 1 / x; }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __frcp_rn, which rounds to the nearest"))) float
__frcp_rz(float x);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __frcp_rn, which rounds to the nearest"))) float
__frcp_ru(float x);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __frcp_rn, which rounds to the nearest"))) float
__frcp_rd(float x);
TESSERA_FUNCTION float __fsqrt_rn(float x) { _Pragma("clang fp contract(off)") return sqrtf(x); }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fsqrt_rn, which rounds to the nearest"))) float
__fsqrt_rz(float x);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fsqrt_rn, which rounds to the nearest"))) float
__fsqrt_ru(float x);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fsqrt_rn, which rounds to the nearest"))) float
__fsqrt_rd(float x);
TESSERA_FUNCTION float __fmaf_rn(float x, float y, float z) { _Pragma("clang fp contract(off)") return fmaf(x, y, z); }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fmaf_rn, which rounds to the nearest"))) float
__fmaf_rz(float x, float y, float z);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fmaf_rn, which rounds to the nearest"))) float
__fmaf_ru(float x, float y, float z);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fmaf_rn, which rounds to the nearest"))) float
__fmaf_rd(float x, float y, float z);
TESSERA_FUNCTION double __dadd_rn(double x, double y) { _Pragma("clang fp contract(off)") return x + y; }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __dadd_rn, which rounds to the nearest"))) double
__dadd_rz(double x, double y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __dadd_rn, which rounds to the nearest"))) double
__dadd_ru(double x, double y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __dadd_rn, which rounds to the nearest"))) double
__dadd_rd(double x, double y);
TESSERA_FUNCTION double __dsub_rn(double x, double y) { _Pragma("clang fp contract(off)") return x - y; }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __dsub_rn, which rounds to the nearest"))) double
__dsub_rz(double x, double y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __dsub_rn, which rounds to the nearest"))) double
__dsub_ru(double x, double y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __dsub_rn, which rounds to the nearest"))) double
__dsub_rd(double x, double y);
TESSERA_FUNCTION double __dmul_rn(double x, double y) { _Pragma("clang fp contract(off)") return x * y; }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __dmul_rn, which rounds to the nearest"))) double
__dmul_rz(double x, double y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __dmul_rn, which rounds to the nearest"))) double
__dmul_ru(double x, double y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __dmul_rn, which rounds to the nearest"))) double
__dmul_rd(double x, double y);
TESSERA_FUNCTION double __ddiv_rn(double x, double y) { _Pragma("clang fp contract(off)") return x / y; }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __ddiv_rn, which rounds to the nearest"))) double
__ddiv_rz(double x, double y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __ddiv_rn, which rounds to the nearest"))) double
__ddiv_ru(double x, double y);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __ddiv_rn, which rounds to the nearest"))) double
__ddiv_rd(double x, double y);
TESSERA_FUNCTION double __drcp_rn(double x) { _Pragma("clang fp contract(off)") return 1 / x; }
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __drcp_rn, which rounds to the nearest"))) double
__drcp_rz(double x);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __drcp_rn, which rounds to the nearest"))) double
__drcp_ru(double x);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __drcp_rn, which rounds to the nearest"))) double
__drcp_rd(double x);
TESSERA_FUNCTION double __dsqrt_rn(double x) { _Pragma("clang fp contract(off)") return sqrt(x); }
TESSERA_FUNCTION __attribute__((
    unavailable("this rounding is not on the cores: use __dsqrt_rn, which rounds to the nearest"))) double
__dsqrt_rz(double x);
TESSERA_FUNCTION __attribute__((
    unavailable("this rounding is not on the cores: use __dsqrt_rn, which rounds to the nearest"))) double
__dsqrt_ru(double x);
TESSERA_FUNCTION __attribute__((
    unavailable("this rounding is not on the cores: use __dsqrt_rn, which rounds to the nearest"))) double
__dsqrt_rd(double x);
TESSERA_FUNCTION double __fma_rn(double x, double y, double z) {
  _Pragma("clang fp contract(off)") return fma(x, y, z);
}
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fma_rn, which rounds to the nearest"))) double
__fma_rz(double x, double y, double z);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fma_rn, which rounds to the nearest"))) double
__fma_ru(double x, double y, double z);
TESSERA_FUNCTION
__attribute__((unavailable("this rounding is not on the cores: use __fma_rn, which rounds to the nearest"))) double
__fma_rd(double x, double y, double z);
TESSERA_FUNCTION float __frsqrt_rn(float x) { return rsqrtf(x); }
TESSERA_FUNCTION float __fdividef(float x, float y) { return x / y; }
TESSERA_FUNCTION float fdividef(float x, float y) { return x / y; }
TESSERA_FUNCTION double fdivide(double x, double y) { return x / y; }
TESSERA_FUNCTION float __sinf(float x) { return sinf(x); }
TESSERA_FUNCTION float __cosf(float x) { return cosf(x); }
TESSERA_FUNCTION float __tanf(float x) { return tanf(x); }
TESSERA_FUNCTION float __expf(float x) { return expf(x); }
TESSERA_FUNCTION float __exp10f(float x) { return exp10f(x); }
TESSERA_FUNCTION float __logf(float x) { return logf(x); }
TESSERA_FUNCTION float __log2f(float x) { return log2f(x); }
TESSERA_FUNCTION float __log10f(float x) { return log10f(x); }
TESSERA_FUNCTION float __powf(float x, float y) { return powf(x, y); }
TESSERA_FUNCTION void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
TESSERA_FUNCTION float __tanhf(float x) { return tanhf(x); }

namespace std {
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::j0;
using ::j1;
using ::ldexp;
using ::lgamma;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::rint;
using ::round;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
using ::y0;
using ::y1;
}  // namespace std
