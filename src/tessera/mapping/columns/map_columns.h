/// map_columns: stencils over large arrays down columns: neighbouring rows read the same elements, so a thread loads a
/// column of its rows and two more instead of three times as many elements.
#pragma once

#include <optional>
#include <vector>

#include "tessera/mapping/columns/find_places.h"
#include "tessera/mapping/mapped.h"
#include "tessera/mapping/target.h"

namespace tessera::mapping {

/// For kernels of straight lanes over two axes, some of whose operands read other rows of what others read.
std::optional<Mapped> map_columns(const ir::Kernel& kernel, const Operands& operands, const Target& target);

/// So many successive rows a thread, whatever the extents are, of which the first is as many at least. `places` may be
/// empty: then nothing is shared.
Mapped write_columns(const ir::Kernel& kernel, const Operands& operands, const Target& target,
                     const std::vector<PlaceIn>& places, int rows);

}  // namespace tessera::mapping
