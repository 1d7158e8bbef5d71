#include "tessera/library/host/select_place.h"

#include <algorithm>

#include "tessera/library/host/kernels/kernels.h"
#include "tessera/library/host/vector_sort.h"

namespace tessera::library {

namespace {

/// Rows up to this length are sorted.
constexpr int64_t sorted_row = 192;

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::float32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::float64;
  else if constexpr (sizeof(T) == 1)
    return std::is_signed_v<T> ? DType::int8 : DType::uint8;
  else if constexpr (sizeof(T) == 2)
    return std::is_signed_v<T> ? DType::int16 : DType::uint16;
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? DType::int32 : DType::uint32;
  else
    return std::is_signed_v<T> ? DType::int64 : DType::uint64;
}

/// Two sampled values that probably enclose the wanted one, and one close to it.
template <class T>
struct Guess {
  T low, middle, high;
};

template <class T>
Guess<T> guess(const T* data, int64_t n, int64_t place) {
  constexpr int64_t most = 1024;
  int64_t size = n >= int64_t{1} << 15 ? most : 96;
  int64_t margin = n >= int64_t{1} << 15 ? 56 : 15;  // about three and a half standard deviations of the sample's rank
  T sample[most];
  // Golden-ratio steps do not align with any period in the data.
  uint64_t at = 0;
  for (int64_t k = 0; k < size; ++k, at += 0x9E3779B97F4A7C15ull)
    sample[k] = data[static_cast<uint64_t>((static_cast<unsigned __int128>(at) * static_cast<uint64_t>(n)) >> 64)];
  sort_numbers(sample, size);
  auto rank = static_cast<int64_t>(static_cast<double>(place) / static_cast<double>(n) * static_cast<double>(size));
  auto clamp = [&](int64_t k) { return std::clamp<int64_t>(k, 0, size - 1); };
  return {sample[clamp(rank - margin)], sample[clamp(rank)], sample[clamp(rank + margin)]};
}

template <class T>
Place<T> count_around(const T* data, int64_t n, T pivot) {
  int64_t below = 0, equal = 0;
  for (int64_t k = 0; k < n; ++k) {
    below += data[k] < pivot;
    equal += data[k] == pivot;
  }
  return {pivot, below, equal};
}

/// Fallback with a guaranteed bound on its run time for all data.
template <class T>
Place<T> select_surely(const T* row, int64_t n, int64_t place, T* scratch) {
  std::copy_n(row, n, scratch);
  std::nth_element(scratch, scratch + place, scratch + n);
  return count_around(row, n, scratch[place]);
}

}  // namespace

template <class T>
Place<T> select_place(const T* row, int64_t n, int64_t place, T* scratch) {
  Kernels::Bracket bracket = kernels().bracket[static_cast<int>(dtype_of<T>())];
  const T* data = row;
  int64_t length = n, at = place, below = 0;  // place within data; number of elements known to be less than data's
  for (int round = 0; length > sorted_row; ++round) {
    Guess<T> found = guess(data, length, at);
    if (!(found.low < found.high)) found.low = found.high = found.middle;
    int64_t before = length;
    auto counts = bracket(data, length, &found.low, &found.high, scratch);
    at -= counts.below;
    below += counts.below;
    if (at < 0 || at >= counts.inside || round > 24) return select_surely(row, n, place, scratch);
    if (!(found.low < found.high)) return {found.low, below, counts.inside};
    data = scratch;
    length = counts.inside;
    if (length < before - before / 4) continue;
    // Few elements were excluded: the place may lie among many equal elements.
    Place<T> same = count_around(data, length, found.middle);
    if (at >= same.below && at < same.below + same.equal) return {same.pivot, below + same.below, same.equal};
  }
  if (data == row) std::copy_n(row, length, scratch);
  sort_numbers(scratch, length);
  T pivot = scratch[at];
  auto [first, last] = std::equal_range(scratch, scratch + length, pivot);
  return {pivot, below + (first - scratch), last - first};
}

template Place<int8_t> select_place(const int8_t*, int64_t, int64_t, int8_t*);
template Place<uint8_t> select_place(const uint8_t*, int64_t, int64_t, uint8_t*);
template Place<int16_t> select_place(const int16_t*, int64_t, int64_t, int16_t*);
template Place<uint16_t> select_place(const uint16_t*, int64_t, int64_t, uint16_t*);
template Place<int32_t> select_place(const int32_t*, int64_t, int64_t, int32_t*);
template Place<uint32_t> select_place(const uint32_t*, int64_t, int64_t, uint32_t*);
template Place<int64_t> select_place(const int64_t*, int64_t, int64_t, int64_t*);
template Place<uint64_t> select_place(const uint64_t*, int64_t, int64_t, uint64_t*);
template Place<float> select_place(const float*, int64_t, int64_t, float*);
template Place<double> select_place(const double*, int64_t, int64_t, double*);

}  // namespace tessera::library
