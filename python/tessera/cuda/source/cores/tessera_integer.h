// Functions of integers and of bits.
#pragma once

TESSERA_FUNCTION int __popc(unsigned x) { return __builtin_popcount(x); }
TESSERA_FUNCTION int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
TESSERA_FUNCTION int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
TESSERA_FUNCTION int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
TESSERA_FUNCTION int __ffs(int x) { return __builtin_ffs(x); }
TESSERA_FUNCTION int __ffsll(long long x) { return __builtin_ffsll(x); }
TESSERA_FUNCTION unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
TESSERA_FUNCTION unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
TESSERA_FUNCTION unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  unsigned long long both = (unsigned long long)y << 32 | x;
  unsigned made = 0;
  for (int k = 0; k < 4; ++k) made |= (unsigned)(both >> ((s >> (4 * k) & 7) * 8) & 255) << (8 * k);
  return made;
}
TESSERA_FUNCTION int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
TESSERA_FUNCTION unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
TESSERA_FUNCTION long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
TESSERA_FUNCTION unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
TESSERA_FUNCTION int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
TESSERA_FUNCTION unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
TESSERA_FUNCTION unsigned __sad(int a, int b, unsigned c) {
  return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
TESSERA_FUNCTION unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
TESSERA_FUNCTION int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
TESSERA_FUNCTION int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
TESSERA_FUNCTION unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
TESSERA_FUNCTION unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
TESSERA_FUNCTION unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (n & 31) >> 32);
}
TESSERA_FUNCTION unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (n & 31));
}
TESSERA_FUNCTION int __dp4a(int a, int b, int c) {
  for (int k = 0; k < 4; ++k) c += (int)(signed char)(a >> 8 * k) * (int)(signed char)(b >> 8 * k);
  return c;
}
TESSERA_FUNCTION unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int k = 0; k < 4; ++k) c += (a >> 8 * k & 255) * (b >> 8 * k & 255);
  return c;
}

#define TESSERA_BITS(name, to, from)     \
  TESSERA_FUNCTION to name(from x) {     \
    to y;                                \
    __builtin_memcpy(&y, &x, sizeof(y)); \
    return y;                            \
  }
TESSERA_BITS(__float_as_int, int, float)
TESSERA_BITS(__float_as_uint, unsigned, float)
TESSERA_BITS(__int_as_float, float, int)
TESSERA_BITS(__uint_as_float, float, unsigned)
TESSERA_BITS(__double_as_longlong, long long, double)
TESSERA_BITS(__longlong_as_double, double, long long)
#undef TESSERA_BITS
TESSERA_FUNCTION int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
TESSERA_FUNCTION int __double2loint(double x) { return (int)__double_as_longlong(x); }
TESSERA_FUNCTION double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

// Conversions: to the nearest (n), towards zero (z), down (d), up (u). Where a number does not fit, the nearest limit;
// NaN is zero.
template <class T>
TESSERA_FUNCTION T __tessera_to_integer(double x) {
  constexpr bool is_signed = (T)-1 < (T)0;
  constexpr T most = is_signed ? (T)(((unsigned long long)1 << (8 * sizeof(T) - 1)) - 1) : (T)-1;
  constexpr T least = is_signed ? (T)(-most - 1) : (T)0;
  if (x != x) return sizeof(T) == 8 && is_signed ? least : (T)0;
  if (x >= (double)most) return most;
  if (x <= (double)least) return least;
  return (T)x;
}
#define TESSERA_CONVERT(from, from_type, to, to_type)          \
  TESSERA_FUNCTION to_type __##from##2##to##_rn(from_type x) { \
    return __tessera_to_integer<to_type>(__builtin_rint(x));   \
  }                                                            \
  TESSERA_FUNCTION to_type __##from##2##to##_rz(from_type x) { \
    return __tessera_to_integer<to_type>(__builtin_trunc(x));  \
  }                                                            \
  TESSERA_FUNCTION to_type __##from##2##to##_rd(from_type x) { \
    return __tessera_to_integer<to_type>(__builtin_floor(x));  \
  }                                                            \
  TESSERA_FUNCTION to_type __##from##2##to##_ru(from_type x) { \
    return __tessera_to_integer<to_type>(__builtin_ceil(x));   \
  }
TESSERA_CONVERT(float, float, int, int)
TESSERA_CONVERT(float, float, uint, unsigned)
TESSERA_CONVERT(float, float, ll, long long)
TESSERA_CONVERT(float, float, ull, unsigned long long)
TESSERA_CONVERT(double, double, int, int)
TESSERA_CONVERT(double, double, uint, unsigned)
TESSERA_CONVERT(double, double, ll, long long)
TESSERA_CONVERT(double, double, ull, unsigned long long)
#undef TESSERA_CONVERT
TESSERA_FUNCTION float __int2float_rn(int x) { return (float)x; }
TESSERA_FUNCTION float __uint2float_rn(unsigned x) { return (float)x; }
TESSERA_FUNCTION float __ll2float_rn(long long x) { return (float)x; }
TESSERA_FUNCTION float __ull2float_rn(unsigned long long x) { return (float)x; }
TESSERA_FUNCTION double __int2double_rn(int x) { return x; }
TESSERA_FUNCTION double __uint2double_rn(unsigned x) { return x; }
TESSERA_FUNCTION double __ll2double_rn(long long x) { return (double)x; }
TESSERA_FUNCTION double __ull2double_rn(unsigned long long x) { return (double)x; }
TESSERA_FUNCTION float __double2float_rn(double x) { return (float)x; }
