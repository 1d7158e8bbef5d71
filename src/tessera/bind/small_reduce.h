/// Small reductions run at once on settled host arrays, with the engine's bits.
#pragma once

#include <optional>
#include <span>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The fold over all axes, or over the last one of a row-contiguous array; nothing when the array is large, pending, laid
/// out otherwise, or of a type without a precompiled fold.
std::optional<Array> try_small_reduce(const ops::Op& op, const ops::Signature& signature, const Array& source,
                                      std::span<const int> axes);

}  // namespace tessera::bind
