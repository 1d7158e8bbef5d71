#include "tessera/library/host/kernels/level.h"

namespace tessera::library::TESSERA_KERNEL_LEVEL {

namespace {

template <bool largest, class T>
bool beats(T candidate, T best) {
  return largest ? best < candidate : candidate < best;
}

template <bool largest, class T>
T better(T candidate, T best) {
  return beats<largest>(candidate, best) ? candidate : best;
}

/// Running extremes in as many lanes as four registers have; a mask records the lanes that saw NaN.
template <bool largest, class T>
struct Extremes {
  static constexpr int lanes = 256 / sizeof(T);
  T extreme[lanes], unordered[lanes];

  explicit Extremes(T first) {
    for (int lane = 0; lane < lanes; ++lane) {
      extreme[lane] = first;
      unordered[lane] = 0;
    }
  }
  void add(const T* data) {
    for (int lane = 0; lane < lanes; ++lane) {
      extreme[lane] = better<largest>(data[lane], extreme[lane]);
      unordered[lane] = data[lane] != data[lane] ? T(1) : unordered[lane];
    }
  }
  T combine(bool& nan) {
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int lane = 0; lane < half; ++lane) {
        extreme[lane] = better<largest>(extreme[lane + half], extreme[lane]);
        unordered[lane] = unordered[lane + half] != 0 ? T(1) : unordered[lane];
      }
    }
    nan = unordered[0] != 0;
    return extreme[0];
  }
};

/// The extreme value of n > 0 elements; sets nan when one is NaN.
template <bool largest, class T>
T find_value(const T* data, int64_t n, bool& nan) {
  constexpr int lanes = Extremes<largest, T>::lanes;
  if (n < lanes) {
    T result = data[0];
    nan = result != result;
    for (int64_t k = 1; k < n; ++k) {
      result = better<largest>(data[k], result);
      nan |= data[k] != data[k];
    }
    return result;
  }
  Extremes<largest, T> extremes(data[0]);
  int64_t k = 0;
  for (; k + lanes <= n; k += lanes) extremes.add(data + k);
  if (k < n) extremes.add(data + n - lanes);  // some elements are visited twice, which does not change the result
  return extremes.combine(nan);
}

/// The index of the first occurrence of a value, at or after `first`.
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

/// Finds the extreme value block by block, then searches the index only in the block that contains it.
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

/// Booleans: the index of the first byte that is nonzero (or zero), else 0.
template <bool largest>
int64_t find_boolean(const void* bytes, int64_t n) {
  auto* data = static_cast<const uint8_t*>(bytes);
  constexpr int group = 256;
  auto wanted = [&](int64_t k) { return (data[k] != 0) == largest; };
  int64_t k = 0;
  for (; k + group <= n; k += group) {
    uint8_t found = 0;
    for (int lane = 0; lane < group; ++lane) found |= static_cast<uint8_t>(wanted(k + lane));
    if (found) break;
  }
  for (; k < n; ++k)
    if (wanted(k)) return k;
  return 0;
}

template <int size>
struct PlaceOf {
  using Type = int32_t;
};
template <>
struct PlaceOf<8> {
  using Type = int64_t;
};

/// Many parallel lanes: out[i] is the row index in column i of n rows that are `stride` elements apart.
template <bool largest, class T>
void extreme_columns(const void* bytes, int64_t n, int64_t stride, int64_t columns, int64_t* out) {
  using Place = typename PlaceOf<sizeof(T)>::Type;
  constexpr int width = 64;
  auto* data = static_cast<const T*>(bytes);
  for (int64_t first = 0; first < columns; first += width) {
    int count = static_cast<int>(columns - first < width ? columns - first : width);
    T best[width];
    Place place[width];
    for (int i = 0; i < count; ++i) {
      best[i] = data[first + i];
      place[i] = 0;
    }
    for (int64_t k = 1; k < n; ++k) {
      const T* row = data + k * stride + first;
      auto here = static_cast<Place>(k);
      auto step = [&](int i) {
        bool wins = beats<largest>(row[i], best[i]) || (row[i] != row[i] && best[i] == best[i]);
        place[i] = wins ? here : place[i];
        best[i] = wins ? row[i] : best[i];
      };
      if (count == width) {
        for (int i = 0; i < width; ++i) step(i);
      } else {
        for (int i = 0; i < count; ++i) step(i);
      }
    }
    for (int i = 0; i < count; ++i) out[first + i] = place[i];
  }
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
    kernels.smallest_columns[Tag::index] = extreme_columns<false, typename Tag::Type>;
    kernels.largest_columns[Tag::index] = extreme_columns<true, typename Tag::Type>;
  });
  kernels.find_smallest[static_cast<int>(DType::boolean)] = find_boolean<false>;
  kernels.find_largest[static_cast<int>(DType::boolean)] = find_boolean<true>;
  kernels.has_specials[static_cast<int>(DType::float32)] = has_specials<float, uint32_t>;
  kernels.has_specials[static_cast<int>(DType::float64)] = has_specials<double, uint64_t>;
}

}  // namespace tessera::library::TESSERA_KERNEL_LEVEL
