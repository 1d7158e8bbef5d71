/// asin, acos, atan, atan2.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

inline double asin(double x) { return __builtin_asin(x); }
inline float asin(float x) { return static_cast<float>(__builtin_asin(static_cast<double>(x))); }
inline double acos(double x) { return __builtin_acos(x); }
inline float acos(float x) { return static_cast<float>(__builtin_acos(static_cast<double>(x))); }
inline double atan(double x) { return __builtin_atan(x); }
inline float atan(float x) { return static_cast<float>(__builtin_atan(static_cast<double>(x))); }
inline double atan2(double y, double x) { return __builtin_atan2(y, x); }
inline float atan2(float y, float x) {
  return static_cast<float>(__builtin_atan2(static_cast<double>(y), static_cast<double>(x)));
}

}  // namespace tessera::math
