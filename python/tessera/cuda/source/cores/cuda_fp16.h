// Half precision: __half and __half2. Sums, products and quotients are rounded once, as on a GPU.
#pragma once

struct __half {
  unsigned short bits;
  __half() = default;
  TESSERA_MEMBER __half(float x) {
    __fp16 half = (__fp16)x;
    __builtin_memcpy(&bits, &half, 2);
  }
  TESSERA_MEMBER __half(double x) : __half(odd(x)) {}
  TESSERA_MEMBER __half(int x) : __half(odd(x)) {}
  TESSERA_MEMBER __half(unsigned x) : __half(odd(x)) {}
  TESSERA_MEMBER __half(long long x) : __half(odd((double)x)) {}
  TESSERA_MEMBER __half(unsigned long long x) : __half(odd((double)x)) {}
  TESSERA_MEMBER __half(short x) : __half((float)x) {}
  TESSERA_MEMBER __half(unsigned short x) : __half((float)x) {}
  TESSERA_MEMBER operator float() const {
    __fp16 half;
    __builtin_memcpy(&half, &bits, 2);
    return half;
  }
  TESSERA_MEMBER explicit operator double() const { return (double)(float)*this; }
  TESSERA_MEMBER explicit operator int() const { return (int)(float)*this; }
  TESSERA_MEMBER explicit operator unsigned() const { return (unsigned)(float)*this; }
  TESSERA_MEMBER explicit operator long long() const { return (long long)(float)*this; }
  TESSERA_MEMBER explicit operator unsigned long long() const { return (unsigned long long)(float)*this; }
  TESSERA_MEMBER explicit operator short() const { return (short)(float)*this; }
  TESSERA_MEMBER explicit operator bool() const { return (float)*this != 0; }
  // A float from which rounding to half gives what rounding the double at once would: its last bit is odd if it is not
  // exact.
  static TESSERA_MEMBER float odd(double x) {
    float f = (float)x;
    if ((double)f == x || x != x) return f;
    unsigned bits;
    __builtin_memcpy(&bits, &f, 4);
    if (!(bits & 1)) bits += ((double)f < x) == (f > 0) ? 1 : -1;
    __builtin_memcpy(&f, &bits, 4);
    return f;
  }
};
typedef __half half;
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
};
typedef __half2 half2;
struct __half_raw {
  unsigned short x;
};

#define TESSERA_HALF(op)                                                                        \
  TESSERA_MEMBER __half operator op(__half a, __half b) { return (float)a op(float) b; }        \
  TESSERA_MEMBER __half& operator op##=(__half & a, __half b) { return a = a op b; }            \
  TESSERA_MEMBER __half2 operator op(__half2 a, __half2 b) { return {a.x op b.x, a.y op b.y}; } \
  TESSERA_MEMBER __half2& operator op##=(__half2 & a, __half2 b) { return a = a op b; }
TESSERA_HALF(+)
TESSERA_HALF(-)
TESSERA_HALF(*)
TESSERA_HALF(/)
#undef TESSERA_HALF
#define TESSERA_HALF(op, name)                                                         \
  TESSERA_MEMBER bool operator op(__half a, __half b) { return (float)a op(float) b; } \
  TESSERA_FUNCTION bool name(__half a, __half b) { return a op b; }
TESSERA_HALF(==, __heq)
TESSERA_HALF(!=, __hne)
TESSERA_HALF(<, __hlt)
TESSERA_HALF(<=, __hle)
TESSERA_HALF(>, __hgt)
TESSERA_HALF(>=, __hge)
#undef TESSERA_HALF
TESSERA_MEMBER __half operator-(__half a) { return -(float)a; }
TESSERA_MEMBER __half operator+(__half a) { return a; }
TESSERA_MEMBER __half& operator++(__half& a) { return a = a + __half(1.0f); }
TESSERA_MEMBER __half2 operator-(__half2 a) { return {-a.x, -a.y}; }

TESSERA_FUNCTION __half __float2half(float x) { return x; }
TESSERA_FUNCTION __half __float2half_rn(float x) { return x; }
TESSERA_FUNCTION __half __double2half(double x) { return x; }
TESSERA_FUNCTION float __half2float(__half x) { return x; }
TESSERA_FUNCTION __half __int2half_rn(int x) { return x; }
TESSERA_FUNCTION __half __uint2half_rn(unsigned x) { return x; }
TESSERA_FUNCTION __half __short2half_rn(short x) { return x; }
TESSERA_FUNCTION __half __ll2half_rn(long long x) { return x; }
TESSERA_FUNCTION int __half2int_rn(__half x) { return __float2int_rn(x); }
TESSERA_FUNCTION int __half2int_rz(__half x) { return __float2int_rz(x); }
TESSERA_FUNCTION unsigned __half2uint_rn(__half x) { return __float2uint_rn(x); }
TESSERA_FUNCTION unsigned short __half_as_ushort(__half x) { return (unsigned short)__tessera_word(x); }
TESSERA_FUNCTION short __half_as_short(__half x) { return (short)__tessera_word(x); }
TESSERA_FUNCTION __half __ushort_as_half(unsigned short x) { return __tessera_value<__half>(x); }
TESSERA_FUNCTION __half __short_as_half(short x) { return __tessera_value<__half>((unsigned short)x); }
TESSERA_FUNCTION __half __hadd(__half a, __half b) { return a + b; }
TESSERA_FUNCTION __half __hsub(__half a, __half b) { return a - b; }
TESSERA_FUNCTION __half __hmul(__half a, __half b) { return a * b; }
TESSERA_FUNCTION __half __hdiv(__half a, __half b) { return a / b; }
TESSERA_FUNCTION __half __hneg(__half a) { return -a; }
TESSERA_FUNCTION __half __habs(__half a) { return fabsf(a); }
TESSERA_FUNCTION __half __hfma(__half a, __half b, __half c) { return __half((double)(float)a * (float)b + (float)c); }
TESSERA_FUNCTION __half __hmax(__half a, __half b) { return fmaxf(a, b); }
TESSERA_FUNCTION __half __hmin(__half a, __half b) { return fminf(a, b); }
TESSERA_FUNCTION bool __hisnan(__half a) { return isnan((float)a); }
TESSERA_FUNCTION int __hisinf(__half a) { return isinf((float)a) ? (float)a > 0 ? 1 : -1 : 0; }
#define TESSERA_HALF(name, function)                                       \
  TESSERA_FUNCTION __half h##name(__half x) { return function((float)x); } \
  TESSERA_FUNCTION __half2 h2##name(__half2 x) { return {h##name(x.x), h##name(x.y)}; }
TESSERA_HALF(sqrt, sqrtf)
TESSERA_HALF(rsqrt, rsqrtf)
TESSERA_HALF(exp, expf)
TESSERA_HALF(exp2, exp2f)
TESSERA_HALF(exp10, exp10f)
TESSERA_HALF(log, logf)
TESSERA_HALF(log2, log2f)
TESSERA_HALF(log10, log10f)
TESSERA_HALF(sin, sinf)
TESSERA_HALF(cos, cosf)
TESSERA_HALF(floor, floorf)
TESSERA_HALF(ceil, ceilf)
TESSERA_HALF(trunc, truncf)
TESSERA_HALF(rint, rintf)
#undef TESSERA_HALF
TESSERA_FUNCTION __half hrcp(__half x) { return 1.0f / (float)x; }
TESSERA_FUNCTION __half2 make_half2(__half x, __half y) { return {x, y}; }
TESSERA_FUNCTION __half2 __halves2half2(__half x, __half y) { return {x, y}; }
TESSERA_FUNCTION __half2 __half2half2(__half x) { return {x, x}; }
TESSERA_FUNCTION __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
TESSERA_FUNCTION __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
TESSERA_FUNCTION __half2 __float22half2_rn(float2 x) { return {__half(x.x), __half(x.y)}; }
TESSERA_FUNCTION float2 __half22float2(__half2 x) { return {x.x, x.y}; }
TESSERA_FUNCTION __half __low2half(__half2 x) { return x.x; }
TESSERA_FUNCTION __half __high2half(__half2 x) { return x.y; }
TESSERA_FUNCTION float __low2float(__half2 x) { return x.x; }
TESSERA_FUNCTION float __high2float(__half2 x) { return x.y; }
TESSERA_FUNCTION __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
TESSERA_FUNCTION __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
TESSERA_FUNCTION __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
TESSERA_FUNCTION __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
TESSERA_FUNCTION __half atomicAdd(__half* at, __half value) {
  return __tessera_update<__half, unsigned short>(at, [value](__half x) { return x + value; });
}
