/// Spanning trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

/// Kruskal's algorithm: the edges, in the order of `order`, that join two parts. Returns their numbers.
std::vector<int64_t> spanning_edges(int64_t nodes, std::span<const Node> from, std::span<const Node> to,
                                    std::span<const int64_t> order);

}  // namespace tessera::routines::networks
