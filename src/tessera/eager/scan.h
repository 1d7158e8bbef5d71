/// Running reductions on host memory, and reductions of slices.
#pragma once

#include <span>

#include "tessera/eager/host_array.h"
#include "tessera/ops/eager_loop.h"

namespace tessera::eager {

/// result[k] = op(result[k - 1], source[k]) along the axis, for elements of the loop's type.
void scan_axis(const ops::EagerLoop& loop, HostView source, int axis, HostView result);
/// The floating-point events of such a scan, however it was computed; the result is packed.
uint32_t scan_events(const ops::EagerLoop& loop, HostView source, int axis, HostView result, bool underflow);
/// result[i] is the reduction over [starts[i], starts[i + 1]) along the axis, or source[starts[i]] alone where that
/// range is empty; the result is in C order. Returns the floating-point events.
uint32_t reduce_slices(const ops::Op& op, const ops::EagerLoop& loop, HostView source, std::span<const int64_t> starts,
                       int axis, HostView result);

}  // namespace tessera::eager
