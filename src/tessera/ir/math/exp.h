/// exp, exp2, expm1.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

inline double exp(double x) { return __builtin_exp(x); }
inline float exp(float x) { return static_cast<float>(__builtin_exp(static_cast<double>(x))); }
inline double exp2(double x) { return __builtin_exp2(x); }
inline float exp2(float x) { return static_cast<float>(__builtin_exp2(static_cast<double>(x))); }
inline double expm1(double x) { return __builtin_expm1(x); }
inline float expm1(float x) { return static_cast<float>(__builtin_expm1(static_cast<double>(x))); }

}  // namespace tessera::math
