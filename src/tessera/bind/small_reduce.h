/// Small reductions run at once on settled host arrays, with the engine's bits.
#pragma once

#include <optional>
#include <span>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The fold over `axes`, begun with `initial` where given; nothing when the array is large or pending, or when the fold
/// is one whose order is the engine's affair (several axes of an array that is not contiguous).
std::optional<Array> try_small_reduce(const ops::Op& op, const ops::Signature& signature, const Array& source,
                                      std::span<const int> axes, const std::optional<Scalar>& initial);

}  // namespace tessera::bind
