/// Shortest paths by weights, from one set of sources: Dijkstra's and the Bellman-Ford algorithm; lengths from many.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

/// A graph with a length for each arc: whole numbers or not, of which the other is empty.
template <class Length>
struct WeightedView {
  CsrView graph;
  std::span<const Length> weights;
};

enum class PathProblem { none, contradiction, negative_cycle };

/// Nodes in the order in which they were settled or first reached, and for each *node* its length and predecessors.
template <class Length>
struct Paths {
  std::vector<Node> order;
  std::vector<Node> found;  ///< in the order in which they were first reached; of Dijkstra's only
  std::vector<Length> lengths;
  std::vector<Node> parents;              ///< no_node at sources
  std::vector<std::vector<Node>> before;  ///< all predecessors, where asked for
  PathProblem problem = PathProblem::none;
};

template <class Length>
struct PathRequest {
  std::span<const Node> sources;
  Node target = no_node;  ///< the search ends there
  const Length* cutoff = nullptr;
  bool all_before = false;
};

/// Dijkstra's algorithm; of nodes at equal distance the one that was reached first is settled first.
template <class Length>
Paths<Length> dijkstra(WeightedView<Length> view, const PathRequest<Length>& request);

/// What dijkstra() gives without a target, a cutoff or all predecessors, from the lengths of all paths alone: `none`
/// where nothing leads. Weights are not negative.
template <class Length>
Paths<Length> settle(WeightedView<Length> view, std::span<const Node> sources, std::vector<Length> lengths,
                     Length none);

/// Bellman-Ford with a queue; `order` has the nodes as they were first reached. With `heuristic`, a negative cycle is
/// found as soon as a node would be its own ancestor.
template <class Length>
Paths<Length> bellman_ford(WeightedView<Length> view, std::span<const Node> sources, bool heuristic);

/// Of searches from each source: how many nodes are reached (with the source), the sum of their lengths, the largest,
/// and the sum of the reciprocals of all that are not 0.
template <class Length>
struct Reach {
  std::vector<int64_t> counts;
  std::vector<Length> totals, farthest;
  std::vector<double> reciprocals;
  PathProblem problem = PathProblem::none;
};
/// All arcs count 1 where `weights` is empty.
template <class Length>
Reach<Length> reach_of(WeightedView<Length> view, std::span<const Node> sources);

}  // namespace tessera::routines::networks
