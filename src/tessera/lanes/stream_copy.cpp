#include "tessera/lanes/stream_copy.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>

namespace tessera::lanes {

namespace {

constexpr int64_t line = 64;

/// Bytes before the first whole cache line of `to`.
int64_t head_bytes(const char* to, int64_t bytes) {
  return std::min<int64_t>(bytes, -reinterpret_cast<intptr_t>(to) & (line - 1));
}

void copy_sse(char* to, const char* from, int64_t bytes) {
  const int64_t head = head_bytes(to, bytes);
  std::memcpy(to, from, head);
  int64_t at = head;
  for (; at + line <= bytes; at += line) {
    for (int64_t k = 0; k < line; k += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + k),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + k)));
  }
  std::memcpy(to + at, from + at, bytes - at);
}

__attribute__((target("avx"))) void copy_avx(char* to, const char* from, int64_t bytes) {
  const int64_t head = head_bytes(to, bytes);
  std::memcpy(to, from, head);
  int64_t at = head;
  for (; at + line <= bytes; at += line) {
    for (int64_t k = 0; k < line; k += 32)
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at + k),
                          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at + k)));
  }
  std::memcpy(to + at, from + at, bytes - at);
}

__attribute__((target("avx512f"))) void copy_avx512(char* to, const char* from, int64_t bytes) {
  const int64_t head = head_bytes(to, bytes);
  std::memcpy(to, from, head);
  int64_t at = head;
  for (; at + line <= bytes; at += line)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), _mm512_loadu_si512(from + at));
  std::memcpy(to + at, from + at, bytes - at);
}

}  // namespace

void fence_streams() { _mm_sfence(); }

void prefetch(const char* from, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += line) _mm_prefetch(from + at, _MM_HINT_T0);
}

StreamCopy stream_copy(int level) { return level >= 4 ? copy_avx512 : level == 3 ? copy_avx : copy_sse; }

}  // namespace tessera::lanes
