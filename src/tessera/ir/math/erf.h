/// The error function and its complement.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

inline double erf(double x) { return __builtin_erf(x); }
inline float erf(float x) { return static_cast<float>(__builtin_erf(static_cast<double>(x))); }
inline double erfc(double x) { return __builtin_erfc(x); }
inline float erfc(float x) { return static_cast<float>(__builtin_erfc(static_cast<double>(x))); }

}  // namespace tessera::math
