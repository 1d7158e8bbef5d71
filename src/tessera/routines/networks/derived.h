/// Graphs made from others: complements, closures, reductions, trusses, projections; as rows in increasing order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

/// All pairs of different nodes that are no arcs.
Csr complement(CsrView graph);

/// What each node reaches over one arc or more; itself only where that leads back.
Csr reachable(CsrView graph);

/// Of an acyclic graph: the arcs whose ends no other way joins. Parallel arcs were merged before.
Csr transitive_reduction(CsrView graph);

/// The arcs left when those in fewer than k - 2 triangles were removed again and again; rows of `simple` are sorted,
/// without duplicates and loops, and have both directions.
Csr truss(CsrView simple, int64_t k);

/// For each chosen node the neighbours of its neighbours, without itself. `common` gets how many of its neighbours
/// have each as a neighbour.
Csr projection(CsrView graph, std::span<const Node> chosen, std::vector<int64_t>& common);

}  // namespace tessera::routines::networks
