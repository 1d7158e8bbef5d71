/// map_strips: operands that run across the lanes, where their axis or the lanes' is too short for squares.
#pragma once

#include <optional>

#include "tessera/mapping/mapped.h"
#include "tessera/mapping/turned.h"

namespace tessera::mapping {

/// For kernels of straight lanes, some of whose operands are contiguous along another axis than the last one, where one
/// of these two axes is short and the other long. A block covers the whole short axis, whose extent the kernel's text
/// has, and as much of the long one as it has threads.
std::optional<Mapped> map_strips(const ir::Kernel& kernel, const Operands& operands, const Target& target);

/// The same whatever the extents and strides are. `last_is_short`: of the turned axis and the last one, that one.
Mapped write_strips(const ir::Kernel& kernel, const Operands& operands, const Target& target, const Turned& turned,
                    bool last_is_short);

}  // namespace tessera::mapping
