/// ufunc.at on host memory: an op applied in place at a list of elements, one after another.
#pragma once

#include <span>

#include "tessera/layout/view.h"
#include "tessera/ops/eager_loop.h"

namespace tessera::ops {

/// target[positions[i]] = op(target[positions[i]], second[i]), with positions in C order and the second operand, null
/// for a unary op, `second_step` bytes apart. The element is cast to the loop's type and back. Returns the
/// floating-point events.
uint32_t run_at(const EagerLoop& loop, char* target, const View& view, std::span<const int64_t> positions,
                const char* second, int64_t second_step, bool underflow);

}  // namespace tessera::ops
