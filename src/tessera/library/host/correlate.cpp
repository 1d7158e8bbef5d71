#include "tessera/library/host/correlate.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tessera/layout/element_cast.h"
#include "tessera/library/host/element_ops.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

namespace {

/// The number of outputs summed concurrently: each keeps its own order, and their chains of dependent operations
/// overlap.
constexpr int64_t together = 32;

/// sums[i] += a[i + j] * v[j] for ascending j.
template <class T>
void accumulate(const T* a, const T* v, int64_t begin, int64_t end, T* sums) {
  for (int64_t j = begin; j < end; ++j) {
    for (int64_t i = 0; i < together; ++i) sums[i] = AddOp::apply(sums[i], MultiplyOp::apply(a[i + j], v[j]));
  }
}

// The loader selects among function clones before a race detector is initialised.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TESSERA_EACH_LEVEL
#endif
#endif
#ifndef TESSERA_EACH_LEVEL
#define TESSERA_EACH_LEVEL __attribute__((target_clones("avx512f", "avx2", "default")))
#endif

// The two types of large inputs use vectors that stay in registers, compiled once per CPU level.
#define TESSERA_ACCUMULATE(T)                                                                             \
  TESSERA_EACH_LEVEL void accumulate_clone(const T* a, const T* v, int64_t begin, int64_t end, T* sums) { \
    typedef T Lanes __attribute__((vector_size(64)));                                                     \
    constexpr int width = 64 / sizeof(T), vectors = together / width;                                     \
    Lanes own[vectors];                                                                                   \
    std::memcpy(own, sums, sizeof own);                                                                   \
    for (int64_t j = begin; j < end; ++j) {                                                               \
      Lanes weight = v[j] - Lanes{};                                                                      \
      for (int i = 0; i < vectors; ++i) {                                                                 \
        Lanes elements;                                                                                   \
        std::memcpy(&elements, a + j + i * width, sizeof elements);                                       \
        own[i] += elements * weight;                                                                      \
      }                                                                                                   \
    }                                                                                                     \
    std::memcpy(sums, own, sizeof own);                                                                   \
  }
TESSERA_ACCUMULATE(float)
TESSERA_ACCUMULATE(double)
#undef TESSERA_ACCUMULATE

template <class T>
class Sliding {
 public:
  Sliding(const T* a, int64_t n, const T* v, int64_t taps, int64_t left)
      : a_(a), v_(v), n_(n), taps_(taps), left_(left) {}

  /// Computes outputs [begin, end).
  void run(int64_t begin, int64_t end, T* out) const {
    int64_t k = begin;
    for (; k + together <= end; k += together) block(k, out + k);
    for (; k < end; ++k) out[k] = add(k, 0, taps_, T{});
  }

 private:
  /// Adds to sum the terms j in [begin, end) of output k that lie inside the sequence.
  T add(int64_t k, int64_t begin, int64_t end, T sum) const {
    begin = std::max(begin, left_ - k);
    end = std::min(end, n_ + left_ - k);
    for (int64_t j = begin; j < end; ++j) sum = AddOp::apply(sum, MultiplyOp::apply(a_[k - left_ + j], v_[j]));
    return sum;
  }

  /// `together` outputs: the terms common to all are accumulated concurrently, those before and after one output at a
  /// time.
  void block(int64_t k, T* out) const {
    int64_t begin = std::max<int64_t>(0, left_ - k), end = std::min(taps_, n_ + left_ - k - together + 1);
    T sums[together] = {};
    if (begin >= end) {
      for (int64_t i = 0; i < together; ++i) out[i] = add(k + i, 0, taps_, T{});
      return;
    }
    for (int64_t i = 0; i < together; ++i) sums[i] = add(k + i, 0, begin, T{});
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
      accumulate_clone(a_ + k - left_, v_, begin, end, sums);
    else
      accumulate(a_ + k - left_, v_, begin, end, sums);
    for (int64_t i = 0; i < together; ++i) out[i] = add(k + i, end, taps_, sums[i]);
  }

  const T *a_, *v_;
  int64_t n_, taps_, left_;
};

template <class T>
void run(const T* a, int64_t n, const T* v, int64_t taps, int64_t left, int64_t count, T* out) {
  Sliding<T> sliding(a, n, v, taps, left);
  auto piece = [&](int64_t begin, int64_t end) { sliding.run(begin, end, out); };
  runtime::parallel_for(count, std::max<int64_t>(2 * together, 65536 / taps), piece);
}

/// Half types accumulate in float32 and round once, as in NumPy.
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

void correlate(const char* a, int64_t n, const char* v, int64_t taps, int64_t left, int64_t count, DType dtype,
               char* out) {
  visit_dtype(dtype, [&]<class T>(T) {
    auto* elements = reinterpret_cast<const T*>(a);
    auto* weights = reinterpret_cast<const T*>(v);
    auto* sums = reinterpret_cast<T*>(out);
    if constexpr (is_small_float<T>)
      run_widened(elements, n, weights, taps, left, count, sums);
    else
      run(elements, n, weights, taps, left, count, sums);
  });
}

}  // namespace tessera::library
