/// Standard normal draws in pairs by the polar method, over any source of bits.
#pragma once

#include <cmath>

#include "tessera/library/random/kept_normal.h"

namespace tessera::library {

/// A random point of the square around the unit circle, from two uniform numbers.
struct PolarPoint {
  double x, y, square;

  PolarPoint() = default;
  PolarPoint(double u, double v) : x(2.0 * u - 1.0), y(2.0 * v - 1.0), square(x * x + y * y) {}
  bool is_inside() const { return (square < 1.0) & (square != 0.0); }
  /// The factor that converts the coordinates of a point inside the circle to normals.
  double factor() const { return std::sqrt(-2.0 * std::log(square) / square); }
};

template <class Bits>
double polar_normal(Bits& bits, KeptNormal& kept) {
  if (kept.has) {
    kept.has = false;
    const double value = kept.value;
    kept.value = 0;
    return value;
  }
  for (;;) {
    const double u = bits.next_double();
    const PolarPoint point(u, bits.next_double());
    if (!point.is_inside()) continue;
    const double factor = point.factor();
    kept = {true, factor * point.x};
    return factor * point.y;
  }
}

}  // namespace tessera::library
