/// Communities: levels of the methods of Louvain (Blondel et al., J. Stat. Mech. 2008) and Leiden, and modularity.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

/// A graph of communities: each edge once, with the sum of its weights, in the order in which edges were first met.
struct WeightedEdges {
  int64_t nodes = 0;
  std::vector<Node> from, to;
  std::vector<double> weights;
};

/// The edges of a graph, of undirected ones from the lower node to the higher; parallel arcs were merged before.
WeightedEdges edges_of(CsrView graph, std::span<const double> weights, bool directed);

/// One graph of the Louvain method and the community of each of its nodes.
class LouvainLevel {
 public:
  LouvainLevel(WeightedEdges edges, bool directed);

  /// Up to how many arcs all nodes are visited until none moves; in larger graphs, those with a neighbour that moved.
  static constexpr size_t all_arcs = 200'000;

  /// Moves nodes, in the order given, to the neighbouring community that raises modularity most, until none moves;
  /// `total` is the sum of the weights of the first graph. Communities are numbered anew by their first numbers,
  /// without gaps. Says whether any moved.
  bool move_nodes(std::span<const Node> order, double total, double resolution);
  /// The Leiden method (Traag et al., Sci. Rep. 9, 2019): where nodes begin.
  void begin_at(std::vector<Node> community) { community_ = std::move(community); }
  /// And divides each community, after nodes moved: nodes that are well connected inside it join, in this order, the
  /// well connected part of it that raises modularity most. The parts, of undirected graphs, are communities then.
  void refine(std::span<const Node> order, double total, double resolution);
  double modularity(double resolution) const;
  /// The graph whose nodes are this one's communities.
  WeightedEdges contracted() const;

  int64_t nodes() const { return edges_.nodes; }
  int64_t communities() const { return count_; }
  std::span<const Node> community() const { return community_; }
  double total_weight() const;

 private:
  /// Neighbours of the nodes in the order in which they are visited; `weights` is empty where all are 1.
  struct Rows {
    std::vector<int64_t> offsets;
    std::vector<Node> targets;
    std::vector<double> weights;
  };

  void sum_weights();
  void make_rows(std::span<const Node> order);
  /// Sums the weights from the node at this place of the order to each community in toward_; returns the communities.
  std::span<const Node> gather(size_t place);
  bool sweep(std::span<const Node> order, double total, double resolution);
  void number_communities();

  WeightedEdges edges_;
  bool directed_;
  int64_t count_;
  Rows rows_;  ///< of undirected graphs both directions; of directed ones outgoing and then incoming arcs; no loops
  std::vector<Node> community_;
  std::vector<double> out_, in_;              ///< sums of weights at nodes; `in_` of directed graphs only
  std::vector<double> total_out_, total_in_;  ///< and of communities
  std::vector<double> toward_;                ///< while nodes move: weights from the node at hand to each community
  std::vector<Node> near_;
  std::vector<uint8_t> waiting_;  ///< the nodes that are to be visited, where not all are
};

/// Of a partition into `count` communities: the sum over communities of their share of weights minus what is expected.
double modularity(CsrView graph, std::span<const double> weights, bool directed, std::span<const Node> community,
                  int64_t count, double resolution);

}  // namespace tessera::routines::networks
