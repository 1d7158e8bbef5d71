/// A shortest path between two nodes by weights, searched from both ends.
#pragma once

#include <vector>

#include "tessera/routines/networks/paths.h"

namespace tessera::routines::networks {

template <class Length>
struct PathBetween {
  std::vector<Node> nodes;  ///< empty where there is no path
  Length length{};
  PathProblem problem = PathProblem::none;
};

/// Dijkstra's algorithm from both ends in turn, one node each; `back` has the arcs reversed, with their weights.
template <class Length>
PathBetween<Length> weighted_path_between(WeightedView<Length> view, WeightedView<Length> back, Node source,
                                          Node target);

}  // namespace tessera::routines::networks
