/// pow, cbrt, hypot.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

TESSERA_MATH double pow(double x, double y) { return __builtin_pow(x, y); }
TESSERA_MATH float pow(float x, float y) {
  return static_cast<float>(__builtin_pow(static_cast<double>(x), static_cast<double>(y)));
}
TESSERA_MATH double cbrt(double x) { return __builtin_cbrt(x); }
TESSERA_MATH float cbrt(float x) { return static_cast<float>(__builtin_cbrt(static_cast<double>(x))); }
TESSERA_MATH double hypot(double x, double y) { return __builtin_hypot(x, y); }
TESSERA_MATH float hypot(float x, float y) {
  double a = x, b = y;
  double root = __builtin_sqrt(a * a + b * b);  // squares are exact in double and cannot overflow
  return is_inf(x) || is_inf(y) ? infinity_f : static_cast<float>(root);
}

}  // namespace tessera::math
