/// map_tiles: several lanes a thread, all of whose loads are under way together. Where alignment allows, neighbouring
/// lanes are accessed together by 16 bytes; else the lanes of a thread are a block apart, so that each access of a warp
/// is contiguous.
#pragma once

#include <optional>

#include "tessera/mapping/mapped.h"
#include "tessera/mapping/operands.h"
#include "tessera/mapping/target.h"

namespace tessera::mapping {

/// How lanes are dealt out. None of it decides bits.
struct Tiling {
  int width = 1;     // neighbouring lanes that a thread accesses together
  int unroll = 1;    // lanes that a thread computes at once, in runs of `width`
  int64_t flat = 0;  // lanes of a row, where the last two axes are one of fewer than 2^31 lanes; `width` is then 1
  int64_t threads = 1, rows = 1;  // of a block, along the lanes and along all other axes
  int64_t tiles = 1;              // that a thread computes one after the other; 1: there is no loop over tiles
};

/// For kernels of straight lanes.
std::optional<Mapped> map_tiles(const ir::Kernel& kernel, const Operands& operands, const Target& target);

Mapped write_tiles(const ir::Kernel& kernel, const Operands& operands, const Target& target, const Tiling& tiling);

}  // namespace tessera::mapping
