// cuRAND's generators in kernels, with its numbers: XORWOW and Philox4x32-10.
#pragma once

TESSERA_OUTSIDE void tessera_skip_xorwow(unsigned* words, unsigned long long count, int log2_of_each);

struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

TESSERA_FUNCTION void skipahead(unsigned long long n, curandStateXORWOW* state) {
  tessera_skip_xorwow(state->v, n, 0);
  state->d += 362437u * (unsigned)n;
}
TESSERA_FUNCTION void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
  tessera_skip_xorwow(state->v, n, 67);
}
TESSERA_FUNCTION void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                  curandStateXORWOW* state) {
  unsigned t0 = 1228688033u * ((unsigned)seed ^ 0x2c7f967fu), t1 = 2073658381u * ((unsigned)(seed >> 32) ^ 0xa03697cbu);
  state->d = 6615241u + t1 + t0;
  state->v[0] = 123456789u + t0;
  state->v[1] = 362436069u ^ t0;
  state->v[2] = 521288629u + t1;
  state->v[3] = 88675123u ^ t1;
  state->v[4] = 5783321u + t0;
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  if (subsequence) skipahead_sequence(subsequence, state);
  if (offset) skipahead(offset, state);
}
TESSERA_FUNCTION unsigned curand(curandStateXORWOW* state) {
  unsigned* v = state->v;
  unsigned t = v[0] ^ (v[0] >> 2);
  v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
  state->d += 362437u;
  return v[4] + state->d;
}

TESSERA_FUNCTION uint4 __tessera_philox(uint4 c, uint2 k) {
  for (int round = 0; round < 10; ++round) {
    unsigned long long p = (unsigned long long)0xD2511F53u * c.x, q = (unsigned long long)0xCD9E8D57u * c.z;
    c = {(unsigned)(q >> 32) ^ c.y ^ k.x, (unsigned)q, (unsigned)(p >> 32) ^ c.w ^ k.y, (unsigned)p};
    k = {k.x + 0x9E3779B9u, k.y + 0xBB67AE85u};
  }
  return c;
}
TESSERA_FUNCTION void __tessera_add(uint4* c, unsigned long long n) {
  unsigned low = (unsigned)n, high = (unsigned)(n >> 32);
  c->x += low;
  if (c->x < low) ++high;
  c->y += high;
  if (high <= c->y) return;
  if (++c->z) return;
  ++c->w;
}
TESSERA_FUNCTION void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
  state->STATE += (unsigned)n & 3;
  n /= 4;
  if (state->STATE > 3) ++n, state->STATE -= 4;
  __tessera_add(&state->ctr, n);
  state->output = __tessera_philox(state->ctr, state->key);
}
TESSERA_FUNCTION void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
  unsigned low = (unsigned)n, high = (unsigned)(n >> 32);
  state->ctr.z += low;
  if (state->ctr.z < low) ++high;
  state->ctr.w += high;
  state->output = __tessera_philox(state->ctr, state->key);
}
TESSERA_FUNCTION void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                  curandStatePhilox4_32_10* state) {
  state->ctr = {0, 0, 0, 0};
  state->key = {(unsigned)seed, (unsigned)(seed >> 32)};
  state->STATE = 0;
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
TESSERA_FUNCTION unsigned curand(curandStatePhilox4_32_10* state) {
  unsigned made = state->STATE == 0   ? state->output.x
                  : state->STATE == 1 ? state->output.y
                  : state->STATE == 2 ? state->output.z
                                      : state->output.w;
  if (++state->STATE == 4) {
    __tessera_add(&state->ctr, 1);
    state->output = __tessera_philox(state->ctr, state->key);
    state->STATE = 0;
  }
  return made;
}
TESSERA_FUNCTION uint4 curand4(curandStatePhilox4_32_10* state) {
  uint4 before = state->output;
  __tessera_add(&state->ctr, 1);
  state->output = __tessera_philox(state->ctr, state->key);
  uint4 after = state->output;
  switch (state->STATE) {
    case 1: return {before.y, before.z, before.w, after.x};
    case 2: return {before.z, before.w, after.x, after.y};
    case 3: return {before.w, after.x, after.y, after.z};
  }
  return before;
}

TESSERA_FUNCTION float __tessera_uniform(unsigned x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
TESSERA_FUNCTION double __tessera_uniform(unsigned x, unsigned y) {
  return ((unsigned long long)x ^ ((unsigned long long)y << 21)) * 1.1102230246251565e-16 +
         1.1102230246251565e-16 / 2.0;
}
TESSERA_FUNCTION float2 __tessera_normal(unsigned x, unsigned y) {
  float u = x * 2.3283064e-10f + 2.3283064e-10f / 2,
        v = y * (2.3283064e-10f * 6.2831855f) + (2.3283064e-10f * 6.2831855f) / 2;
  float s = sqrtf(-2.0f * logf(u));
  return {sinf(v) * s, cosf(v) * s};
}
TESSERA_FUNCTION double2 __tessera_normal(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  double u =
      ((unsigned long long)x0 ^ ((unsigned long long)x1 << 21)) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
  double v = ((unsigned long long)y0 ^ ((unsigned long long)y1 << 21)) * (1.1102230246251565e-16 * 2.0) +
             1.1102230246251565e-16;
  double s = sqrt(-2.0 * log(u));
  return {sinpi(v) * s, cospi(v) * s};
}
template <class S>
TESSERA_FUNCTION float curand_uniform(S* state) {
  return __tessera_uniform(curand(state));
}
template <class S>
TESSERA_FUNCTION double curand_uniform_double(S* state) {
  unsigned x = curand(state), y = curand(state);
  return __tessera_uniform(x, y);
}
template <class S>
TESSERA_FUNCTION float2 curand_normal2(S* state) {
  unsigned x = curand(state), y = curand(state);
  return __tessera_normal(x, y);
}
template <class S>
TESSERA_FUNCTION float curand_normal(S* state) {
  if (state->boxmuller_flag) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  float2 both = curand_normal2(state);
  state->boxmuller_extra = both.y;
  state->boxmuller_flag = 1;
  return both.x;
}
template <class S>
TESSERA_FUNCTION double2 curand_normal2_double(S* state) {
  unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
  return __tessera_normal(x0, x1, y0, y1);
}
template <class S>
TESSERA_FUNCTION double curand_normal_double(S* state) {
  if (state->boxmuller_flag_double) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  double2 both = curand_normal2_double(state);
  state->boxmuller_extra_double = both.y;
  state->boxmuller_flag_double = 1;
  return both.x;
}
template <class S>
TESSERA_FUNCTION float curand_log_normal(S* state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <class S>
TESSERA_FUNCTION double curand_log_normal_double(S* state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
TESSERA_FUNCTION float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  return {__tessera_uniform(x.x), __tessera_uniform(x.y), __tessera_uniform(x.z), __tessera_uniform(x.w)};
}
TESSERA_FUNCTION float4 curand_normal4(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  float2 a = __tessera_normal(x.x, x.y), b = __tessera_normal(x.z, x.w);
  return {a.x, a.y, b.x, b.y};
}
