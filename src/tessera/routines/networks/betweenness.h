/// Shares of shortest paths through nodes and arcs (Brandes, J. Math. Sociol. 25, 2001), exactly or from some sources.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

struct BetweennessRequest {
  CsrView graph;                     ///< no parallel arcs
  std::span<const double> weights;   ///< of the arcs; empty where each counts 1
  std::span<const uint8_t> targets;  ///< whether paths to a node count; empty where all do
  bool endpoints = false;            ///< count paths at the nodes where they begin and end, too
  bool nodes = true;                 ///< share out to nodes
  bool arcs = false;                 ///< share out to arcs
};

/// What has been added up so far; one for each node or arc, or none.
struct BetweennessSums {
  std::vector<double> nodes, arcs;
};

/// Adds what the sources contribute, in their order: the same bits however sources are cut into calls and threads.
void add_betweenness(const BetweennessRequest& request, std::span<const Node> sources, BetweennessSums& sums);

/// Adds up what each node passes on where every node sends one unit to every other, divided equally among the
/// predecessors of each node on the way (Newman, Phys. Rev. E 64, 2001).
std::vector<double> load(CsrView graph, std::span<const Node> sources);

}  // namespace tessera::routines::networks
