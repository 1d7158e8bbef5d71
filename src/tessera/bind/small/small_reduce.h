/// Small reductions, run immediately on settled host arrays with results bitwise equal to the engine's.
#pragma once

#include <optional>
#include <span>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The reduction over `axes`, started with `initial` where given; nothing when the array is large or pending, or when
/// the engine determines the order of the reduction (several axes of an array that is not contiguous).
std::optional<Array> try_small_reduce(const ops::Op& op, const ops::Signature& signature, const Array& source,
                                      std::span<const int> axes, const std::optional<Scalar>& initial);

}  // namespace tessera::bind
