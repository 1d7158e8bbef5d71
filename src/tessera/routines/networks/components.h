/// Parts of graphs: connected, strongly connected and biconnected components, bridges, articulation points.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

/// Nodes, component after component; `begins` has where each begins, and the end.
struct Components {
  std::vector<Node> nodes;
  std::vector<int64_t> begins{0};

  int64_t count() const { return static_cast<int64_t>(begins.size()) - 1; }
};

/// A forest over nodes whose roots are the least of their trees; joined trees are components.
class Forest {
 public:
  /// Of each node, so many arcs are joined first: they make most of the largest component.
  static constexpr int64_t first_arcs = 2;

  explicit Forest(int64_t nodes);

  Node root(Node node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }
  bool are_joined(Node left, Node right) { return root(left) == root(right); }
  void join(Node left, Node right) {
    left = root(left);
    right = root(right);
    if (left != right) parents_[std::max(left, right)] = std::min(left, right);
  }

  /// A node of what is probably the largest tree.
  Node likely_largest();
  /// The root of each node.
  std::vector<int64_t> labels();

 private:
  std::vector<Node> parents_;
};

/// Components by the lowest node of each. `back` has the arcs of a directed graph reversed, or nothing.
Components connected_components(CsrView graph, CsrView back);

/// The same from the lowest node of each node's component.
Components components_by_label(std::span<const int64_t> labels);

/// Strongly connected components in the order in which Tarjan's search (SIAM J. Comput. 1, 1972) leaves them.
Components strong_components(CsrView graph);

/// Biconnected components as edges: arcs (u, v), component after component in the order in which the search
/// of Hopcroft and Tarjan (Comm. ACM 16, 1973) leaves them, and the nodes that join components, each as often as the
/// search finds it. The graph is undirected and has no parallel edges. Loops are with the edges of the component in
/// which the search meets them, but for those of the nodes it begins at.
struct Biconnected {
  std::vector<Node> from, to;
  std::vector<int64_t> begins{0};
  std::vector<Node> articulations;
  std::vector<std::pair<Node, Node>> bridges;
};
Biconnected biconnected_components(CsrView graph);

}  // namespace tessera::routines::networks
