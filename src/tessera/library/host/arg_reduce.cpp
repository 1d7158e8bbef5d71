#include "tessera/library/host/arg_reduce.h"

#include <algorithm>
#include <vector>

#include "tessera/library/host/element_ops.h"
#include "tessera/library/host/kernels/kernels.h"
#include "tessera/library/host/rows.h"

namespace tessera::library {

namespace {

/// Whether candidate replaces best, which came earlier.
template <bool largest, class T>
bool beats(T candidate, T best) {
  if (largest ? is_less(best, candidate) : is_less(candidate, best)) return !is_nan(best);
  return is_nan(candidate) && !is_nan(best);
}

template <bool largest, class T>
int64_t find_scalar(const T* data, int64_t n) {
  int64_t best = 0;
  for (int64_t k = 1; k < n && !is_nan(data[best]); ++k)
    if (beats<largest>(data[k], data[best])) best = k;
  return best;
}

/// The index in one contiguous lane of elements of one type.
template <bool largest, class T>
Kernels::FindExtreme choose_find(DType dtype) {
  auto& table = largest ? kernels().find_largest : kernels().find_smallest;
  if (Kernels::FindExtreme find = table[static_cast<int>(dtype)]) return find;
  return [](const void* data, int64_t n) { return find_scalar<largest>(static_cast<const T*>(data), n); };
}

/// One long lane: the extreme of each chunk, then the extreme of those; the earliest wins ties.
template <bool largest, class T>
int64_t find_in_long_lane(Kernels::FindExtreme find, const T* data, int64_t n) {
  int64_t chunk = grain_for(sizeof(T)), chunks = (n + chunk - 1) / chunk;
  if (chunks == 1) return find(data, n);
  std::vector<int64_t> places(chunks);
  auto piece = [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c)
      places[c] = c * chunk + find(data + c * chunk, std::min(chunk, n - c * chunk));
  };
  runtime::parallel_for(chunks, 1, piece);
  int64_t best = places[0];
  for (int64_t place : places)
    if (beats<largest>(data[place], data[best])) best = place;
  return best;
}

/// Many parallel lanes: one running extreme per column.
template <bool largest, class T>
void find_in_columns(const T* data, int64_t n, int64_t inner, int64_t begin, int64_t end, int64_t* out) {
  constexpr int64_t width = 256;
  T best[width];
  for (int64_t first = begin; first < end; first += width) {
    int64_t count = std::min(width, end - first);
    std::copy_n(data + first, count, best);
    std::fill_n(out + first, count, 0);
    for (int64_t k = 1; k < n; ++k) {
      const T* row = data + k * inner + first;
      for (int64_t i = 0; i < count; ++i) {
        bool wins = beats<largest>(row[i], best[i]);
        best[i] = wins ? row[i] : best[i];
        out[first + i] = wins ? k : out[first + i];
      }
    }
  }
}

template <bool largest>
void reduce_any(const char* bytes, DType dtype, int64_t outer, int64_t n, int64_t inner, int64_t* out) {
  visit_dtype(dtype, [&]<class T>(T) {
    auto* data = reinterpret_cast<const T*>(bytes);
    Kernels::FindExtreme find = choose_find<largest, T>(dtype);
    if (inner == 1 && outer == 1) {
      out[0] = find_in_long_lane<largest>(find, data, n);
      return;
    }
    if (inner == 1) {
      auto lanes = [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) out[o] = find(data + o * n, n);
      };
      runtime::parallel_for(outer, grain_for(n * sizeof(T)), lanes);
      return;
    }
    auto columns_kernel = (largest ? kernels().largest_columns : kernels().smallest_columns)[static_cast<int>(dtype)];
    for (int64_t o = 0; o < outer; ++o) {
      auto columns = [&](int64_t begin, int64_t end) {
        const T* slab = data + o * n * inner;
        if (columns_kernel && n < INT32_MAX)
          columns_kernel(slab + begin, n, inner, end - begin, out + o * inner + begin);
        else
          find_in_columns<largest>(slab, n, inner, begin, end, out + o * inner);
      };
      runtime::parallel_for(inner, std::max<int64_t>(64, grain_for(n * sizeof(T))), columns);
    }
  });
}

}  // namespace

void arg_reduce(bool largest, const char* data, DType dtype, int64_t outer, int64_t n, int64_t inner, int64_t* out) {
  if (outer == 0 || inner == 0) return;
  if (largest)
    reduce_any<true>(data, dtype, outer, n, inner, out);
  else
    reduce_any<false>(data, dtype, outer, n, inner, out);
}

}  // namespace tessera::library
