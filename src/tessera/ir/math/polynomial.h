/// Polynomial evaluation, lowest coefficient first.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

/// Horner's rule: fewest operations, best accuracy near zero, one long chain of dependent operations.
template <class T>
TESSERA_MATH T horner(T, T c) {
  return c;
}
template <class T, class... C>
TESSERA_MATH T horner(T x, T c0, C... c) {
  return fma_(x, horner(x, static_cast<T>(c)...), c0);
}

/// Every `Stride`-th coefficient from `First` on, in Horner's form.
template <int First, int Stride, int Size, class T>
TESSERA_MATH T strided_chain(T x, const T (&c)[Size]) {
  if constexpr (First + Stride < Size) {
    return fma_(x, strided_chain<First + Stride, Stride>(x, c), c[First]);
  } else {
    return c[First];
  }
}

/// Two interleaved chains in x^2, or four in x^4 from ten coefficients on, to hide the latency of fma units.
template <class T, class... C>
TESSERA_MATH T polynomial(T x, C... coefficients) {
  const T c[] = {coefficients...};
  constexpr int size = sizeof...(C);
  T z = x * x;
  if constexpr (size < 10) {
    return fma_(x, strided_chain<1, 2>(z, c), strided_chain<0, 2>(z, c));
  } else {
    T w = z * z;
    T low = fma_(x, strided_chain<1, 4>(w, c), strided_chain<0, 4>(w, c));
    T high = fma_(x, strided_chain<3, 4>(w, c), strided_chain<2, 4>(w, c));
    return fma_(z, high, low);
  }
}

}  // namespace tessera::math
