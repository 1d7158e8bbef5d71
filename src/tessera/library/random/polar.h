/// Standard normal draws in pairs by the polar method, over any source of bits.
#pragma once

#include <cmath>

#include "tessera/library/random/fill.h"

namespace tessera::library {

template <class Bits>
double polar_normal(Bits& bits, KeptNormal& kept) {
  if (kept.has) {
    kept.has = false;
    const double value = kept.value;
    kept.value = 0;
    return value;
  }
  double x, y, square;
  do {
    x = 2.0 * bits.next_double() - 1.0;
    y = 2.0 * bits.next_double() - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  kept = {true, factor * x};
  return factor * y;
}

}  // namespace tessera::library
