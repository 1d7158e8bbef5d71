// __nv_bfloat16: the upper half of a float's bits, rounded to the nearest.
#pragma once

struct __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  TESSERA_MEMBER __nv_bfloat16(float x) {
    unsigned word;
    __builtin_memcpy(&word, &x, 4);
    bits = x != x ? 0x7fff : (unsigned short)((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  TESSERA_MEMBER __nv_bfloat16(double x) : __nv_bfloat16((float)x) {}
  TESSERA_MEMBER __nv_bfloat16(int x) : __nv_bfloat16((float)x) {}
  TESSERA_MEMBER operator float() const {
    unsigned word = (unsigned)bits << 16;
    float x;
    __builtin_memcpy(&x, &word, 4);
    return x;
  }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
typedef __nv_bfloat162 nv_bfloat162;

#define TESSERA_BFLOAT(op)                                                                                    \
  TESSERA_MEMBER __nv_bfloat16 operator op(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op(float) b; } \
  TESSERA_MEMBER __nv_bfloat16& operator op##=(__nv_bfloat16 & a, __nv_bfloat16 b) { return a = a op b; }     \
  TESSERA_MEMBER __nv_bfloat162 operator op(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x op b.x, a.y op b.y}; }
TESSERA_BFLOAT(+)
TESSERA_BFLOAT(-)
TESSERA_BFLOAT(*)
TESSERA_BFLOAT(/)
#undef TESSERA_BFLOAT
#define TESSERA_BFLOAT(op) \
  TESSERA_MEMBER bool operator op(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op(float) b; }
TESSERA_BFLOAT(==)
TESSERA_BFLOAT(!=)
TESSERA_BFLOAT(<)
TESSERA_BFLOAT(<=)
TESSERA_BFLOAT(>)
TESSERA_BFLOAT(>=)
#undef TESSERA_BFLOAT
TESSERA_MEMBER __nv_bfloat16 operator-(__nv_bfloat16 a) { return -(float)a; }
TESSERA_FUNCTION __nv_bfloat16 __float2bfloat16(float x) { return x; }
TESSERA_FUNCTION __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
TESSERA_FUNCTION __nv_bfloat16 __double2bfloat16(double x) { return x; }
TESSERA_FUNCTION float __bfloat162float(__nv_bfloat16 x) { return x; }
TESSERA_FUNCTION __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __tessera_value<__nv_bfloat16>(x); }
TESSERA_FUNCTION unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
TESSERA_FUNCTION __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
TESSERA_FUNCTION __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
TESSERA_FUNCTION __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
TESSERA_FUNCTION __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return (float)((double)(float)a * (float)b + (float)c);
}
TESSERA_FUNCTION __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
TESSERA_FUNCTION __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__nv_bfloat16(x), __nv_bfloat16(y)}; }
TESSERA_FUNCTION float2 __bfloat1622float2(__nv_bfloat162 x) { return {x.x, x.y}; }
