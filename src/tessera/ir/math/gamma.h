/// tgamma and lgamma.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

TESSERA_MATH double tgamma(double x) { return __builtin_tgamma(x); }
TESSERA_MATH float tgamma(float x) { return static_cast<float>(__builtin_tgamma(static_cast<double>(x))); }
TESSERA_MATH double lgamma(double x) { return __builtin_lgamma(x); }
TESSERA_MATH float lgamma(float x) { return static_cast<float>(__builtin_lgamma(static_cast<double>(x))); }

}  // namespace tessera::math
