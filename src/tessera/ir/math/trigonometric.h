/// sin, cos, tan over the whole range of arguments.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

inline double sin(double x) { return __builtin_sin(x); }
inline float sin(float x) { return static_cast<float>(__builtin_sin(static_cast<double>(x))); }
inline double cos(double x) { return __builtin_cos(x); }
inline float cos(float x) { return static_cast<float>(__builtin_cos(static_cast<double>(x))); }
inline double tan(double x) { return __builtin_tan(x); }
inline float tan(float x) { return static_cast<float>(__builtin_tan(static_cast<double>(x))); }

}  // namespace tessera::math
