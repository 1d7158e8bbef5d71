#include "tessera/library/host/kernels/level.h"

namespace tessera::library::TESSERA_KERNEL_LEVEL {

namespace {

#if defined(__AVX512F__)

/// Eight or sixteen lanes with the comparisons that partitioning needs.
template <class T>
struct Lanes;

#define TESSERA_LANES(T, Register, Mask, count, load, set, less, store, squeeze_lanes, store_all) \
  template <>                                                                                     \
  struct Lanes<T> {                                                                               \
    using Vector = Register;                                                                      \
    using Bits = Mask;                                                                            \
    static constexpr int width = count;                                                           \
    static Vector read(const T* at) { return load(at); }                                          \
    static Vector fill(T x) { return set(x); }                                                    \
    static Bits is_less(Vector a, Vector b) { return less(a, b); }                                \
    static void write(T* at, Bits mask, Vector v) { store(at, mask, v); }                         \
    static void write_full(T* at, Bits mask, Vector v) { store_all(at, squeeze_lanes(mask, v)); } \
  };
#define TESSERA_LESS_PD(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define TESSERA_LESS_PS(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
TESSERA_LANES(double, __m512d, __mmask8, 8, _mm512_loadu_pd, _mm512_set1_pd, TESSERA_LESS_PD,
              _mm512_mask_compressstoreu_pd, _mm512_maskz_compress_pd, _mm512_storeu_pd)
TESSERA_LANES(float, __m512, __mmask16, 16, _mm512_loadu_ps, _mm512_set1_ps, TESSERA_LESS_PS,
              _mm512_mask_compressstoreu_ps, _mm512_maskz_compress_ps, _mm512_storeu_ps)
TESSERA_LANES(int64_t, __m512i, __mmask8, 8, _mm512_loadu_si512, _mm512_set1_epi64, _mm512_cmplt_epi64_mask,
              _mm512_mask_compressstoreu_epi64, _mm512_maskz_compress_epi64, _mm512_storeu_si512)
TESSERA_LANES(uint64_t, __m512i, __mmask8, 8, _mm512_loadu_si512, _mm512_set1_epi64, _mm512_cmplt_epu64_mask,
              _mm512_mask_compressstoreu_epi64, _mm512_maskz_compress_epi64, _mm512_storeu_si512)
TESSERA_LANES(int32_t, __m512i, __mmask16, 16, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_cmplt_epi32_mask,
              _mm512_mask_compressstoreu_epi32, _mm512_maskz_compress_epi32, _mm512_storeu_si512)
TESSERA_LANES(uint32_t, __m512i, __mmask16, 16, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_cmplt_epu32_mask,
              _mm512_mask_compressstoreu_epi32, _mm512_maskz_compress_epi32, _mm512_storeu_si512)
#undef TESSERA_LANES
#undef TESSERA_LESS_PD
#undef TESSERA_LESS_PS

template <class T>
inline constexpr bool has_lanes = sizeof(T) >= 4;
/// Copies the lanes of mask to `at` and returns the position after them.
template <class T>
T* keep(T* at, typename Lanes<T>::Bits mask, typename Lanes<T>::Vector v) {
  Lanes<T>::write(at, mask, v);
  return at + __builtin_popcount(mask);
}

template <class T>
int64_t bracket_lanes(const T* data, int64_t n, T low, T high, T* inside, Kernels::Bracketed& counts) {
  using L = Lanes<T>;
  auto lows = L::fill(low), highs = L::fill(high);
  T* at = inside;
  int64_t k = 0, below = 0;
  for (; k + L::width <= n; k += L::width) {
    auto v = L::read(data + k);
    auto under = L::is_less(v, lows), over = L::is_less(highs, v);
    below += __builtin_popcount(under);
    auto kept = static_cast<typename L::Bits>(~(under | over));
    // Whole registers may be written: the elements after `at` have been read already or will be written later.
    L::write_full(at, kept, v);
    at += __builtin_popcount(kept);
  }
  counts = {below, at - inside};
  return k;
}

template <class T>
int64_t part_lanes(const T* data, int64_t n, T pivot, T*& below, T*& equal, T*& above) {
  using L = Lanes<T>;
  auto pivots = L::fill(pivot);
  int64_t k = 0;
  for (; k + L::width <= n; k += L::width) {
    auto v = L::read(data + k);
    auto under = L::is_less(v, pivots), over = L::is_less(pivots, v);
    below = keep<T>(below, under, v);
    above = keep<T>(above, over, v);
    auto same = static_cast<typename L::Bits>(~(under | over));
    if (same) equal = keep<T>(equal, same, v);
  }
  return k;
}

/// Indices are handled eight at a time, whatever the width of the elements.
template <class T>
int64_t part_index_lanes(const T* data, int64_t n, T pivot, int64_t*& below, int64_t*& equal, int64_t*& above) {
  using L = Lanes<T>;
  auto pivots = L::fill(pivot);
  __m512i indices = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  const __m512i step = _mm512_set1_epi64(8);
  int64_t k = 0;
  for (; k + L::width <= n; k += L::width) {
    auto v = L::read(data + k);
    unsigned under = L::is_less(v, pivots), over = L::is_less(pivots, v);
    for (int part = 0; part < L::width; part += 8) {
      auto low = static_cast<__mmask8>(under >> part), high = static_cast<__mmask8>(over >> part);
      below = keep<int64_t>(below, low, indices);
      above = keep<int64_t>(above, high, indices);
      auto same = static_cast<__mmask8>(~(low | high));
      if (same) equal = keep<int64_t>(equal, same, indices);
      indices = _mm512_add_epi64(indices, step);
    }
  }
  return k;
}

#else

template <class T>
inline constexpr bool has_lanes = false;

#endif

template <class T>
Kernels::Bracketed bracket(const void* bytes, int64_t n, const void* low_at, const void* high_at, void* inside_at) {
  auto* data = static_cast<const T*>(bytes);
  T low = *static_cast<const T*>(low_at), high = *static_cast<const T*>(high_at);
  T* inside = static_cast<T*>(inside_at);
  Kernels::Bracketed counts{0, 0};
  int64_t k = 0;
#if defined(__AVX512F__)
  if constexpr (has_lanes<T>) k = bracket_lanes(data, n, low, high, inside, counts);
#endif
  int64_t below = counts.below, room = counts.inside;
  for (; k < n; ++k) {
    T x = data[k];
    bool under = x < low, over = high < x;
    // The write at `room` never passes the element just read, so inside may be data.
    inside[room] = x;
    room += !under & !over;
    below += under;
  }
  return {below, room};
}

template <class T>
void part(const void* bytes, int64_t n, const void* pivot_at, void* below_at, void* equal_at, void* above_at) {
  auto* data = static_cast<const T*>(bytes);
  T pivot = *static_cast<const T*>(pivot_at);
  T *below = static_cast<T*>(below_at), *equal = static_cast<T*>(equal_at), *above = static_cast<T*>(above_at);
  int64_t k = 0;
#if defined(__AVX512F__)
  if constexpr (has_lanes<T>) k = part_lanes(data, n, pivot, below, equal, above);
#endif
  for (; k < n; ++k) {
    T x = data[k];
    T*& to = x < pivot ? below : pivot < x ? above : equal;
    *to++ = x;
  }
}

template <class T>
void part_indices(const void* bytes, int64_t n, const void* pivot_at, int64_t* below, int64_t* equal, int64_t* above) {
  auto* data = static_cast<const T*>(bytes);
  T pivot = *static_cast<const T*>(pivot_at);
  int64_t k = 0;
#if defined(__AVX512F__)
  if constexpr (has_lanes<T>) k = part_index_lanes(data, n, pivot, below, equal, above);
#endif
  for (; k < n; ++k) {
    T x = data[k];
    int64_t*& to = x < pivot ? below : pivot < x ? above : equal;
    *to++ = k;
  }
}

}  // namespace

void add_parting(Kernels& kernels) {
  for_each_number([&]<class Tag>(Tag) {
    kernels.bracket[Tag::index] = bracket<typename Tag::Type>;
    kernels.part[Tag::index] = part<typename Tag::Type>;
    kernels.part_indices[Tag::index] = part_indices<typename Tag::Type>;
  });
}

}  // namespace tessera::library::TESSERA_KERNEL_LEVEL
