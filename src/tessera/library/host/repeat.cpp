#include "tessera/library/host/repeat.h"

#include <cstring>
#include <numeric>

#include "tessera/library/host/rows.h"

namespace tessera::library {

namespace {

/// With a type of the block's size, copies compile to plain stores.
template <class T>
char* repeat_typed(const char* data, int64_t n, const int64_t* counts, bool one_count, char* out) {
  auto* to = reinterpret_cast<T*>(out);
  auto* from = reinterpret_cast<const T*>(data);
  for (int64_t k = 0; k < n; ++k) {
    T value = from[k];
    for (int64_t left = counts[one_count ? 0 : k]; left > 0; --left) *to++ = value;
  }
  return reinterpret_cast<char*>(to);
}

void repeat_blocks(const char* data, int64_t n, int64_t block_bytes, const int64_t* counts, bool one_count, char* out) {
  switch (block_bytes) {
    case 1:
    case 2:
    case 4:
    case 8:
    case 16: visit_itemsize(block_bytes, [&]<class T>(T) { repeat_typed<T>(data, n, counts, one_count, out); }); return;
    default: break;
  }
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t left = counts[one_count ? 0 : k]; left > 0; --left) {
      std::memcpy(out, data + k * block_bytes, block_bytes);
      out += block_bytes;
    }
  }
}

}  // namespace

void repeat(const char* data, int64_t outer, int64_t n, int64_t block_bytes, const int64_t* counts, bool one_count,
            char* out) {
  if (one_count) {
    // Blocks are independent, so the outer and block indices form one range.
    auto piece = [&](int64_t begin, int64_t end) {
      repeat_blocks(data + begin * block_bytes, end - begin, block_bytes, counts, true,
                    out + begin * counts[0] * block_bytes);
    };
    runtime::parallel_for(outer * n, grain_for(block_bytes * (counts[0] + 1)), piece);
    return;
  }
  int64_t total = std::accumulate(counts, counts + n, int64_t{0});
  auto slabs = [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o)
      repeat_blocks(data + o * n * block_bytes, n, block_bytes, counts, false, out + o * total * block_bytes);
  };
  runtime::parallel_for(outer, grain_for((n + total) * block_bytes), slabs);
}

}  // namespace tessera::library
