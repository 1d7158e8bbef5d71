#include "tessera/mapping/choose.h"

#include "tessera/mapping/columns/map_columns.h"
#include "tessera/mapping/strips/map_strips.h"
#include "tessera/mapping/tiles/map_tiles.h"
#include "tessera/mapping/transposed/map_transposed.h"

namespace tessera::mapping {

namespace {

using Map = std::optional<Mapped>(const ir::Kernel&, const Operands&, const Target&);

/// In the order in which they are tried.
constexpr Map* mappings[] = {map_transposed, map_strips, map_columns, map_tiles};

}  // namespace

std::optional<Mapped> choose_mapping(const ir::Kernel& kernel, const Operands& operands, const Target& target) {
  for (Map* map : mappings)
    if (std::optional<Mapped> mapped = map(kernel, operands, target)) return mapped;
  return {};
}

}  // namespace tessera::mapping
