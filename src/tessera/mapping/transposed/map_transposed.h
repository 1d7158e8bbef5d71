/// map_transposed: operands that run across the lanes are read in squares along their own axis and transposed in shared
/// memory, so that both sides access memory contiguously.
#pragma once

#include <optional>

#include "tessera/mapping/mapped.h"
#include "tessera/mapping/turned.h"

namespace tessera::mapping {

/// For kernels of straight lanes, some of whose operands are contiguous along another axis than the last one, where
/// both axes are long enough for squares.
std::optional<Mapped> map_transposed(const ir::Kernel& kernel, const Operands& operands, const Target& target);

/// The same whatever the extents and strides are; they only decide speed.
Mapped write_squares(const ir::Kernel& kernel, const Operands& operands, const Target& target, const Turned& turned);

}  // namespace tessera::mapping
