/// Breadth-first and depth-first searches, in the order of the rows; layers of directed acyclic graphs.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

inline constexpr int64_t no_limit = std::numeric_limits<int64_t>::max();

/// What a search reached: nodes in the order in which they were found, and beside each the node it was found from.
struct Search {
  std::vector<Node> order;
  std::vector<Node> parents;    ///< no_node for those the search began at
  std::vector<int64_t> levels;  ///< where each level begins in `order`, and its end; of breadth-first searches
};

/// Marks of visited nodes that are cleared by what was visited, for many searches of one graph.
class Marks {
 public:
  explicit Marks(int64_t nodes) : marks_(nodes) {}
  bool mark(Node node) { return marks_[node] ? false : (marks_[node] = 1, true); }
  bool marked(Node node) const { return marks_[node]; }
  void clear(std::span<const Node> nodes) {
    for (Node node : nodes) marks_[node] = 0;
  }

 private:
  std::vector<uint8_t> marks_;
};

/// A breadth-first search of at most `depth` steps; leaves `marks` as it was. Sources named twice count once.
void breadth_first(CsrView graph, std::span<const Node> sources, int64_t depth, Marks& marks, Search& result);
/// Appends to `order` all that can be reached from `source` over unmarked nodes, also by the arcs of `back` if it has
/// any; marks it.
void breadth_first_onward(CsrView graph, CsrView back, Node source, Marks& marks, std::vector<Node>& order);

/// The nodes of a path of fewest arcs, found from both ends, the smaller frontier first; empty where there is none.
std::vector<Node> path_between(CsrView graph, CsrView back, Node source, Node target);

/// A depth-first search from each source that no earlier one reached. Events give the order of everything.
struct DepthFirst {
  std::vector<Node> order;      ///< nodes as they are found
  std::vector<Node> parents;    ///< no_node for those the search began at
  std::vector<Node> postorder;  ///< nodes as they are left; those at the depth's limit are not entered and miss here
};
DepthFirst depth_first(CsrView graph, std::span<const Node> sources, int64_t depth);

/// Layers of a directed acyclic graph: `levels` has where each begins in `order`. On a circle, order is shorter than
/// the graph.
Search topological_layers(CsrView graph);

/// Whether two colours suffice; colours[v] is 0 or 1, isolated nodes are 0. Returns false for odd circles and loops.
bool two_colours(CsrView graph, std::vector<int8_t>& colours);

}  // namespace tessera::routines::networks
