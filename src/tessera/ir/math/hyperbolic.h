/// sinh, cosh, tanh and their inverses.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

TESSERA_MATH double sinh(double x) { return __builtin_sinh(x); }
TESSERA_MATH float sinh(float x) { return static_cast<float>(__builtin_sinh(static_cast<double>(x))); }
TESSERA_MATH double cosh(double x) { return __builtin_cosh(x); }
TESSERA_MATH float cosh(float x) { return static_cast<float>(__builtin_cosh(static_cast<double>(x))); }
TESSERA_MATH double tanh(double x) { return __builtin_tanh(x); }
TESSERA_MATH float tanh(float x) { return static_cast<float>(__builtin_tanh(static_cast<double>(x))); }
TESSERA_MATH double asinh(double x) { return __builtin_asinh(x); }
TESSERA_MATH float asinh(float x) { return static_cast<float>(__builtin_asinh(static_cast<double>(x))); }
TESSERA_MATH double acosh(double x) { return __builtin_acosh(x); }
TESSERA_MATH float acosh(float x) { return static_cast<float>(__builtin_acosh(static_cast<double>(x))); }
TESSERA_MATH double atanh(double x) { return __builtin_atanh(x); }
TESSERA_MATH float atanh(float x) { return static_cast<float>(__builtin_atanh(static_cast<double>(x))); }

}  // namespace tessera::math
