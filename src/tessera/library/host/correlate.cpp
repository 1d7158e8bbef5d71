#include "tessera/library/host/correlate.h"

#include <algorithm>
#include <vector>

#include "tessera/layout/element_cast.h"
#include "tessera/library/host/element_ops.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

namespace {

/// Outputs that are summed side by side: each keeps its own order, the processor works on several at once.
constexpr int64_t together = 16;

template <class T>
void slide(const T* a, const T* v, int64_t taps, int64_t count, T* out) {
  int64_t k = 0;
  for (; k + together <= count; k += together) {
    T sums[together] = {};
    for (int64_t j = 0; j < taps; ++j) {
      for (int64_t i = 0; i < together; ++i) sums[i] = AddOp::apply(sums[i], MultiplyOp::apply(a[k + i + j], v[j]));
    }
    std::copy(sums, sums + together, out + k);
  }
  for (; k < count; ++k) {
    T sum{};
    for (int64_t j = 0; j < taps; ++j) sum = AddOp::apply(sum, MultiplyOp::apply(a[k + j], v[j]));
    out[k] = sum;
  }
}

// The two types of large inputs, compiled once for each level of processor.
#define TESSERA_SLIDE(T)                                                                                   \
  __attribute__((target_clones("avx512f", "avx2", "default"))) void slide_clone(const T* a, const T* v,    \
                                                                                int64_t taps, int64_t count, T* out) { \
    int64_t k = 0;                                                                                         \
    for (; k + 2 * together <= count; k += 2 * together) {                                                 \
      T sums[2 * together] = {};                                                                           \
      for (int64_t j = 0; j < taps; ++j) {                                                                 \
        for (int64_t i = 0; i < 2 * together; ++i) sums[i] += a[k + i + j] * v[j];                         \
      }                                                                                                    \
      for (int64_t i = 0; i < 2 * together; ++i) out[k + i] = sums[i];                                     \
    }                                                                                                      \
    for (; k < count; ++k) {                                                                               \
      T sum = 0;                                                                                           \
      for (int64_t j = 0; j < taps; ++j) sum += a[k + j] * v[j];                                           \
      out[k] = sum;                                                                                        \
    }                                                                                                      \
  }
TESSERA_SLIDE(float)
TESSERA_SLIDE(double)
#undef TESSERA_SLIDE

template <class T>
void run(const T* a, int64_t n, const T* v, int64_t taps, int64_t left, int64_t count, T* out) {
  auto edge = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      T sum{};
      int64_t first = std::max<int64_t>(0, left - k), last = std::min(taps, n + left - k);
      for (int64_t j = first; j < last; ++j) sum = AddOp::apply(sum, MultiplyOp::apply(a[k - left + j], v[j]));
      out[k] = sum;
    }
  };
  int64_t inner_begin = std::min(left, count), inner_end = std::max(inner_begin, std::min(count, n - taps + 1 + left));
  edge(0, inner_begin);
  auto piece = [&](int64_t begin, int64_t end) {
    const T* from = a + begin + inner_begin - left;
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      slide_clone(from, v, taps, end - begin, out + inner_begin + begin);
    } else {
      slide(from, v, taps, end - begin, out + inner_begin + begin);
    }
  };
  runtime::parallel_for(inner_end - inner_begin, std::max<int64_t>(64, 65536 / taps), piece);
  edge(inner_end, count);
}

/// Halves are summed in float32 and rounded once, as NumPy does.
template <class T>
void run_widened(const T* a, int64_t n, const T* v, int64_t taps, int64_t left, int64_t count, T* out) {
  auto widened = [](const T* x, int64_t size) {
    std::vector<float> wide(size);
    std::transform(x, x + size, wide.begin(), [](T value) { return widen(value); });
    return wide;
  };
  std::vector<float> wide_a = widened(a, n), wide_v = widened(v, taps), sums(count);
  run(wide_a.data(), n, wide_v.data(), taps, left, count, sums.data());
  std::transform(sums.begin(), sums.end(), out, [](float value) { return element_cast<T>(value); });
}

}  // namespace

void correlate(const char* a, int64_t n, const char* v, int64_t taps, int64_t left, int64_t count, DType dtype, char* out) {
  visit_dtype(dtype, [&]<class T>(T) {
    auto* elements = reinterpret_cast<const T*>(a);
    auto* weights = reinterpret_cast<const T*>(v);
    auto* sums = reinterpret_cast<T*>(out);
    if constexpr (is_small_float<T>) run_widened(elements, n, weights, taps, left, count, sums);
    else run(elements, n, weights, taps, left, count, sums);
  });
}

}  // namespace tessera::library
