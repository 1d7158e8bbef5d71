/// ufunc.at on host memory: an op applied in place at a list of elements, one after another.
#pragma once

#include <span>

#include "tessera/eager/eager_loop.h"
#include "tessera/eager/host_array.h"

namespace tessera::eager {

/// target[positions[i]] = op(target[positions[i]], second[i]), with positions in C order and the second operand, null
/// for a unary op, `second_step` bytes apart. The element is cast to the loop's type and back. Returns the
/// floating-point events.
uint32_t run_at(const EagerLoop& loop, HostView target, std::span<const int64_t> positions, const char* second,
                int64_t second_step, bool underflow);

}  // namespace tessera::eager
