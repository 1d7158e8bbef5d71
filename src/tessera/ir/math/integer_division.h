/// Integer division without branches: uses floating point, which vector units have, and is exact for all operands.
///
/// x / 0 is 0 with remainder 0; the smallest number divided by -1 wraps to itself.
#pragma once

#include <type_traits>

#include "tessera/ir/math/core.h"

namespace tessera::math {

template <class T>
struct IntegerDivision {
  T quotient, remainder;
};

/// Divides by the integer unit or by floating point, for divisors other than 0. Narrow quotients never round up to the
/// next integer. Wide quotients are computed in two steps, each rounded down by more than its error: after the second
/// step, the quotient is at most 1 too small.
template <bool by_floats, class U>
TESSERA_MATH IntegerDivision<U> divide_magnitudes(U a, U d) {
  using Real = std::conditional_t<(sizeof(U) <= 2), float, double>;
  using Whole = std::conditional_t<(sizeof(U) <= 2), int32_t, std::conditional_t<(sizeof(U) == 4), int64_t, uint64_t>>;
  if constexpr (!by_floats) {
    const U q = static_cast<U>(a / d);
    return {q, static_cast<U>(a - static_cast<uint64_t>(q) * d)};
  } else if constexpr (sizeof(U) < 8) {
    const U q = static_cast<U>(static_cast<Whole>(static_cast<Real>(a) / static_cast<Real>(d)));
    return {q, static_cast<U>(a - static_cast<uint64_t>(q) * d)};
  } else {
    const double inverse = moderate_quotient(1.0 - 0x1p-50, static_cast<double>(d));
    const U first = static_cast<U>(static_cast<double>(a) * inverse);
    const U rest = a - first * d;
    const U second = static_cast<U>(static_cast<double>(rest) * inverse);
    const U last = rest - second * d;
    const bool more = last >= d;
    return {first + second + (more ? U(1) : U(0)), last - (more ? d : U(0))};
  }
}

template <class T>
TESSERA_MATH std::make_unsigned_t<T> integer_magnitude(T a) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(a < 0 ? U(0) - static_cast<U>(a) : static_cast<U>(a));
}

/// Rounds towards zero, as C does, or down, as Python does.
template <bool floors, bool by_floats, class T>
TESSERA_MATH IntegerDivision<T> divide_integers(T a, T b) {
  using U = std::make_unsigned_t<T>;
  const bool by_zero = b == 0;
  const U d = by_zero ? U(1) : integer_magnitude(b);
  const IntegerDivision<U> m = divide_magnitudes<by_floats>(integer_magnitude(a), d);
  const bool opposite = (a < 0) != (b < 0);
  const bool carries = floors && opposite && m.remainder != 0;
  const U q = m.quotient + (carries ? U(1) : U(0));
  const U r = carries ? d - m.remainder : m.remainder;
  const bool negative = floors ? b < 0 : a < 0;
  const U signed_q = opposite ? U(0) - q : q, signed_r = negative ? U(0) - r : r;
  return {static_cast<T>(by_zero ? U(0) : signed_q), static_cast<T>(by_zero ? U(0) : signed_r)};
}

template <bool by_floats, class T>
TESSERA_MATH T integer_div(T a, T b) {
  return divide_integers<false, by_floats>(a, b).quotient;
}
template <bool by_floats, class T>
TESSERA_MATH T integer_rem(T a, T b) {
  return divide_integers<false, by_floats>(a, b).remainder;
}
template <bool by_floats, class T>
TESSERA_MATH T integer_floor_div(T a, T b) {
  return divide_integers<true, by_floats>(a, b).quotient;
}
template <bool by_floats, class T>
TESSERA_MATH T integer_floor_mod(T a, T b) {
  return divide_integers<true, by_floats>(a, b).remainder;
}

}  // namespace tessera::math
