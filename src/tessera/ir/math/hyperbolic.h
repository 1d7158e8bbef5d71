/// sinh, cosh, tanh and their inverses.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

inline double sinh(double x) { return __builtin_sinh(x); }
inline float sinh(float x) { return static_cast<float>(__builtin_sinh(static_cast<double>(x))); }
inline double cosh(double x) { return __builtin_cosh(x); }
inline float cosh(float x) { return static_cast<float>(__builtin_cosh(static_cast<double>(x))); }
inline double tanh(double x) { return __builtin_tanh(x); }
inline float tanh(float x) { return static_cast<float>(__builtin_tanh(static_cast<double>(x))); }
inline double asinh(double x) { return __builtin_asinh(x); }
inline float asinh(float x) { return static_cast<float>(__builtin_asinh(static_cast<double>(x))); }
inline double acosh(double x) { return __builtin_acosh(x); }
inline float acosh(float x) { return static_cast<float>(__builtin_acosh(static_cast<double>(x))); }
inline double atanh(double x) { return __builtin_atanh(x); }
inline float atanh(float x) { return static_cast<float>(__builtin_atanh(static_cast<double>(x))); }

}  // namespace tessera::math
