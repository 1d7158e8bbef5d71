/// log, log2, log10, log1p.
#pragma once

#include "tessera/ir/math/core.h"

namespace tessera::math {

inline double log(double x) { return __builtin_log(x); }
inline float log(float x) { return static_cast<float>(__builtin_log(static_cast<double>(x))); }
inline double log2(double x) { return __builtin_log2(x); }
inline float log2(float x) { return static_cast<float>(__builtin_log2(static_cast<double>(x))); }
inline double log10(double x) { return __builtin_log10(x); }
inline float log10(float x) { return static_cast<float>(__builtin_log10(static_cast<double>(x))); }
inline double log1p(double x) { return __builtin_log1p(x); }
inline float log1p(float x) { return static_cast<float>(__builtin_log1p(static_cast<double>(x))); }

}  // namespace tessera::math
