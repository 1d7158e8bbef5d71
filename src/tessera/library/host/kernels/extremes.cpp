#include "tessera/library/host/kernels/level.h"

namespace tessera::library::TESSERA_KERNEL_LEVEL {

namespace {

template <bool largest, class T>
bool beats(T candidate, T best) {
  return largest ? best < candidate : candidate < best;
}

/// The extreme value of n > 0 elements; sets nan when one is NaN.
template <bool largest, class T>
T find_value(const T* data, int64_t n, bool& nan) {
  constexpr int lanes = 256 / sizeof(T);  // four registers, so that comparisons overlap
  T extreme[lanes], unordered[lanes];
  for (int lane = 0; lane < lanes; ++lane) {
    extreme[lane] = data[0];
    unordered[lane] = 0;
  }
  int64_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    for (int lane = 0; lane < lanes; ++lane) {
      T x = data[k + lane];
      extreme[lane] = beats<largest>(x, extreme[lane]) ? x : extreme[lane];
      unordered[lane] = x != x ? T(1) : unordered[lane];
    }
  }
  T result = extreme[0];
  bool any = false;
  for (int lane = 0; lane < lanes; ++lane) {
    result = beats<largest>(extreme[lane], result) ? extreme[lane] : result;
    any |= unordered[lane] != 0;
  }
  for (; k < n; ++k) {
    result = beats<largest>(data[k], result) ? data[k] : result;
    any |= data[k] != data[k];
  }
  nan = any;
  return result;
}

/// The first place of a value that occurs at or after `first`.
template <class T>
int64_t find_first(const T* data, int64_t first, int64_t n, T value) {
  constexpr int group = 128 / sizeof(T);
  int64_t k = first;
  for (; k + group <= n; k += group) {
    T found = 0;
    for (int lane = 0; lane < group; ++lane) found = data[k + lane] == value ? T(1) : found;
    if (found != 0) break;
  }
  while (data[k] != value) ++k;
  return k;
}

/// Values block by block, then the place only in the block that holds it.
template <bool largest, class T>
int64_t find_extreme(const void* bytes, int64_t n) {
  constexpr int64_t block = 4096;
  auto* data = static_cast<const T*>(bytes);
  T best = data[0];
  int64_t best_block = 0;
  for (int64_t first = 0; first < n; first += block) {
    int64_t length = n - first < block ? n - first : block;
    bool nan = false;
    T value = find_value<largest>(data + first, length, nan);
    if (nan) {
      int64_t k = first;
      while (data[k] == data[k]) ++k;
      return k;
    }
    if (beats<largest>(value, best)) {
      best = value;
      best_block = first;
    }
  }
  return find_first(data, best_block, n, best);
}

template <class T, class Bits>
bool has_specials(const void* bytes, int64_t n) {
  auto* data = static_cast<const T*>(bytes);
  constexpr Bits negative_zero = Bits(1) << (8 * sizeof(Bits) - 1);
  for (int64_t first = 0; first < n; first += 4096) {
    int64_t last = first + 4096 < n ? first + 4096 : n;
    Bits found = 0;
    for (int64_t k = first; k < last; ++k) {
      Bits bits = __builtin_bit_cast(Bits, data[k]);
      found |= static_cast<Bits>(bits == negative_zero) | static_cast<Bits>(data[k] != data[k]);
    }
    if (found) return true;
  }
  return false;
}

}  // namespace

void add_extremes(Kernels& kernels) {
  for_each_number([&]<class Tag>(Tag) {
    kernels.find_smallest[Tag::index] = find_extreme<false, typename Tag::Type>;
    kernels.find_largest[Tag::index] = find_extreme<true, typename Tag::Type>;
  });
  kernels.has_specials[static_cast<int>(DType::float32)] = has_specials<float, uint32_t>;
  kernels.has_specials[static_cast<int>(DType::float64)] = has_specials<double, uint64_t>;
}

}  // namespace tessera::library::TESSERA_KERNEL_LEVEL
