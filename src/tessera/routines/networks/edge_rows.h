/// Rows of neighbours made from edges in the order in which they were added, as NetworkX's dictionaries would hold
/// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

/// Distinct neighbours by their first edge. Further edges of the same pair of nodes follow in the order of edges.
struct EdgeRows {
  Csr rows;
  std::vector<int64_t> first;  ///< the first edge of each arc
  std::vector<int64_t> next;   ///< the next edge of the same pair of nodes, or -1; empty where there are no such
};

/// The rows of `from`, each edge once, or with `both` also those of `to`; loops are in one row once.
EdgeRows rows_of_edges(int64_t nodes, std::span<const Node> from, std::span<const Node> to, bool both);

}  // namespace tessera::routines::networks
