/// tgamma and lgamma.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

inline double tgamma(double x) { return __builtin_tgamma(x); }
inline float tgamma(float x) { return static_cast<float>(__builtin_tgamma(static_cast<double>(x))); }
inline double lgamma(double x) { return __builtin_lgamma(x); }
inline float lgamma(float x) { return static_cast<float>(__builtin_lgamma(static_cast<double>(x))); }

}  // namespace tessera::math
