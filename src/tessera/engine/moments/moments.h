/// squares_about_mean: what variances divide, from one pass over the array, made where this thread's work runs.
#pragma once

#include "tessera/engine/engine.h"

namespace tessera {

/// The sum of squared distances from the mean over these axes (normalised, distinct), in dtype; the shape is the
/// array's without them. Nothing where two passes are as good, as NumPy makes them: for lanes so short that they give
/// NumPy's bits, arrays that the caches hold, axes that do not lie together in dense memory; and where a result is not
/// finite.
std::optional<Array> squares_about_mean(Engine& engine, const Array& array, std::span<const int> axes, DType dtype);

}  // namespace tessera
