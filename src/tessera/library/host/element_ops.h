/// element_ops: the two-operand operations shared by scans and products, with the semantics of NumPy's ufuncs.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>

#include "tessera/layout/element_cast.h"

namespace tessera::library {

template <class T>
bool is_nan(T x) {
  if constexpr (is_small_float<T>)
    return (x.bits & 0x7FFF) > (std::is_same_v<T, Half> ? 0x7C00 : 0x7F80);
  else if constexpr (is_complex_type<T>)
    return std::isnan(x.real()) || std::isnan(x.imag());
  else if constexpr (std::is_floating_point_v<T>)
    return x != x;
  else
    return false;
}

/// NumPy's order: comparisons with NaN are false; complex numbers compare by real, then imaginary part.
template <class T>
bool is_less(T a, T b) {
  if constexpr (is_small_float<T>)
    return widen(a) < widen(b);
  else if constexpr (is_complex_type<T>)
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  else
    return a < b;
}

/// An integer that orders floats other than NaN, -0 before +0.
template <class T>
auto order_key(T x) {
  using Bits = std::conditional_t<sizeof(T) == 2, int16_t, std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
  const Bits bits = std::bit_cast<Bits>(x);
  return static_cast<Bits>(bits ^ ((bits >> (8 * sizeof(T) - 1)) & std::numeric_limits<Bits>::max()));
}

/// As in NumPy, narrow floats compute in float32 and integers wrap.
template <class T, class F>
T apply_wide(T a, T b, F&& f) {
  if constexpr (is_small_float<T>) {
    return element_cast<T>(f(widen(a), widen(b)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return f(static_cast<int>(a), static_cast<int>(b)) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  } else {
    return f(a, b);
  }
}

struct AddOp {
  template <class T>
  static T apply(T a, T b) {
    return apply_wide(a, b, [](auto x, auto y) { return x + y; });
  }
};
struct SubtractOp {
  template <class T>
  static T apply(T a, T b) {
    return apply_wide(a, b, [](auto x, auto y) { return x - y; });
  }
};
struct MultiplyOp {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (is_complex_type<T>) {
      return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    } else {
      return apply_wide(a, b, [](auto x, auto y) { return x * y; });
    }
  }
};
/// The order in which minima and maxima choose: -0 is less than +0, as in kernels. Not for NaN. Of complex numbers that
/// are equal the first is chosen, as in NumPy.
template <class T>
bool precedes(T a, T b) {
  if constexpr (is_small_float<T> || std::is_floating_point_v<T>)
    return order_key(a) < order_key(b);
  else
    return is_less(a, b);
}

/// Whether plain comparisons say so. Most elements of a scan change nothing, and the processor expects that: it does
/// not wait for the element before. False for NaN, also if a complex number has it in its imaginary part only.
template <class T>
bool is_less_at_once(T a, T b) {
  if constexpr (is_small_float<T>)
    return false;
  else if constexpr (is_complex_type<T>)
    return is_less(a, b) && !is_nan(a) && !is_nan(b);
  else
    return is_less(a, b);
}

/// NaN if either is NaN; the first one if both are.
struct MinimumOp {
  template <class T>
  static T apply(T a, T b) {
    return is_less_at_once(a, b) || is_nan(a) || (!is_nan(b) && !precedes(b, a)) ? a : b;
  }
};
struct MaximumOp {
  template <class T>
  static T apply(T a, T b) {
    return is_less_at_once(b, a) || is_nan(a) || (!is_nan(b) && !precedes(a, b)) ? a : b;
  }
};
/// The other one if either is NaN.
struct FminOp {
  template <class T>
  static T apply(T a, T b) {
    return is_less_at_once(a, b) || is_nan(b) || (!is_nan(a) && !precedes(b, a)) ? a : b;
  }
};
struct FmaxOp {
  template <class T>
  static T apply(T a, T b) {
    return is_less_at_once(b, a) || is_nan(b) || (!is_nan(a) && !precedes(a, b)) ? a : b;
  }
};
struct BitAndOp {
  template <std::integral T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitOrOp {
  template <std::integral T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitXorOp {
  template <std::integral T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

template <class Op, class T>
concept applies_to = requires(T a) { Op::apply(a, a); };

}  // namespace tessera::library
