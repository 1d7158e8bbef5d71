/// squares_about_mean: the sums of squares that variances divide, from one pass over the array.
#pragma once

#include <optional>
#include <span>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The sum of squared distances from the mean over these axes (normalised, distinct), in `dtype`, with the array's
/// shape without the axes. Empty where NumPy's two passes are as good: for lanes short enough to give NumPy's bits,
/// arrays that fit in the caches, and axes that are not adjacent in dense memory; and where a result is not finite.
std::optional<Array> squares_about_mean(const Array& array, std::span<const int> axes, DType dtype);

}  // namespace tessera::bind
