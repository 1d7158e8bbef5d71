/// Small assignments: done immediately in settled host memory, without a node or a plan.
#pragma once

#include <optional>
#include <span>

#include "tessera/eager/small_call.h"
#include "tessera/graph/array.h"

namespace tessera::eager {

/// destination[...] = source, broadcast and cast. Returns the floating-point events of the cast; nothing, with nothing
/// done, when an array is pending, has more than `most` elements, or cannot be stored over its own elements. The shapes
/// must be compatible.
std::optional<uint32_t> try_assign(const Array& destination, const Operand& source, bool underflow,
                                   int64_t most = small_limit);
/// The floating-point events of a completed cast of elements over `shape`: pointers and strides of source and result.
uint32_t cast_events(DType from, DType to, std::span<const int64_t> shape, std::span<char* const> pointers,
                     std::span<const Dims> strides, bool underflow);

}  // namespace tessera::eager
