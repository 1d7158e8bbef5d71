/// Standard normal draws in pairs by the polar method, over any source of bits.
#pragma once

#include <cmath>

#include "tessera/library/random/fill.h"

namespace tessera::library {

struct PolarPair {
  double first, second;
};

/// The two normals that two uniform numbers make, where they fall within the circle.
inline bool try_polar(double u, double v, PolarPair& pair) {
  const double x = 2.0 * u - 1.0, y = 2.0 * v - 1.0, square = x * x + y * y;
  if (square >= 1.0 || square == 0.0) return false;
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  pair = {factor * y, factor * x};
  return true;
}

template <class Bits>
double polar_normal(Bits& bits, KeptNormal& kept) {
  if (kept.has) {
    kept.has = false;
    const double value = kept.value;
    kept.value = 0;
    return value;
  }
  for (PolarPair pair;;) {
    const double u = bits.next_double(), v = bits.next_double();
    if (!try_polar(u, v, pair)) continue;
    kept = {true, pair.second};
    return pair.first;
  }
}

}  // namespace tessera::library
