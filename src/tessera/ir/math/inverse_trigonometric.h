/// asin, acos, atan, atan2.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

TESSERA_MATH double asin(double x) { return __builtin_asin(x); }
TESSERA_MATH float asin(float x) { return static_cast<float>(__builtin_asin(static_cast<double>(x))); }
TESSERA_MATH double acos(double x) { return __builtin_acos(x); }
TESSERA_MATH float acos(float x) { return static_cast<float>(__builtin_acos(static_cast<double>(x))); }
TESSERA_MATH double atan(double x) { return __builtin_atan(x); }
TESSERA_MATH float atan(float x) { return static_cast<float>(__builtin_atan(static_cast<double>(x))); }
TESSERA_MATH double atan2(double y, double x) { return __builtin_atan2(y, x); }
TESSERA_MATH float atan2(float y, float x) {
  return static_cast<float>(__builtin_atan2(static_cast<double>(y), static_cast<double>(x)));
}

}  // namespace tessera::math
