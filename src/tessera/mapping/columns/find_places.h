/// find_places: which operands read other rows of what other operands read, as the views of a stencil do.
#pragma once

#include <compare>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/mapping/operands.h"

namespace tessera::mapping {

/// The position a buffer reads, relative to a buffer (another one or itself): `rows` and `lanes` further on.
struct PlaceIn {
  int buffer = 0;
  int rows = 0;
  int lanes = 0;
  friend bool operator==(const PlaceIn&, const PlaceIn&) = default;
  friend auto operator<=>(const PlaceIn&, const PlaceIn&) = default;
};

/// By buffer, where some read the same memory; empty when no two of them read different rows of the same lane.
std::vector<PlaceIn> find_places(const ir::Kernel& kernel, const Operands& operands);

}  // namespace tessera::mapping
