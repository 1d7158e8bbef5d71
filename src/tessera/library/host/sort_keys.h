/// sort_keys: elements as unsigned integers whose order is the sort order.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "tessera/layout/element_cast.h"

namespace tessera::library {

/// Rows at least this long are sorted by all threads together.
inline constexpr int64_t long_row = int64_t{1} << 17;

template <size_t size>
using UnsignedOf =
    std::conditional_t<size == 1, uint8_t,
                       std::conditional_t<size == 2, uint16_t, std::conditional_t<size == 4, uint32_t, uint64_t>>>;

template <class T>
inline constexpr bool is_float_like = is_small_float<T> || std::is_floating_point_v<T>;

/// The bits of +infinity: larger bits (ignoring the sign) are NaN.
template <class T>
constexpr UnsignedOf<sizeof(T)> infinity_bits() {
  if constexpr (std::is_same_v<T, Half>)
    return 0x7C00;
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return 0x7F80;
  else if constexpr (std::is_same_v<T, float>)
    return 0x7F800000;
  else
    return static_cast<UnsignedOf<sizeof(T)>>(0x7FF0000000000000);
}

/// Equal elements have equal keys: both zeros share one, all NaNs share the largest.
template <class T>
UnsignedOf<sizeof(T)> sort_key(T value) {
  using Key = UnsignedOf<sizeof(T)>;
  constexpr Key sign = Key{1} << (8 * sizeof(T) - 1);
  Key bits = std::bit_cast<Key>(value);
  if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;  // a boolean from another source may be any byte
  } else if constexpr (is_float_like<T>) {
    Key magnitude = bits & static_cast<Key>(~sign);
    Key key = magnitude == 0 ? sign : (bits & sign) ? static_cast<Key>(~bits) : static_cast<Key>(bits | sign);
    return magnitude > infinity_bits<T>() ? static_cast<Key>(~Key{0}) : key;
  } else if constexpr (std::is_signed_v<T>) {
    return bits ^ sign;
  } else {
    return bits;
  }
}

/// An element with this key: +0 for zero, a quiet NaN for NaN.
template <class T>
T from_sort_key(UnsignedOf<sizeof(T)> key) {
  using Key = UnsignedOf<sizeof(T)>;
  constexpr Key sign = Key{1} << (8 * sizeof(T) - 1);
  if constexpr (is_float_like<T>) {
    if (key == static_cast<Key>(~Key{0}))
      return std::bit_cast<T>(static_cast<Key>(infinity_bits<T>() | (infinity_bits<T>() >> 1)));
    return std::bit_cast<T>(static_cast<Key>(key & sign ? key ^ sign : ~key));
  } else if constexpr (std::is_signed_v<T>) {
    return std::bit_cast<T>(static_cast<Key>(key ^ sign));
  } else if constexpr (std::is_same_v<T, bool>) {
    return key != 0;  // bytes from other sources may have any value
  } else {
    return std::bit_cast<T>(key);
  }
}

/// NumPy's order of complex numbers: without NaN, then NaN in the imaginary part, in the real part, in both.
template <class T>
bool complex_before(std::complex<T> a, std::complex<T> b) {
  auto rank = [](std::complex<T> z) { return 2 * (z.real() != z.real()) + (z.imag() != z.imag()); };
  int x = rank(a), y = rank(b);
  if (x != y) return x < y;
  if (!(x & 2) && a.real() != b.real()) return a.real() < b.real();
  return !(x & 1) && a.imag() < b.imag();
}

}  // namespace tessera::library
