/// Communities by labels that spread between neighbours.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

/// A number in [0, n), from a generator.
using Draw = std::function<uint32_t(uint32_t n)>;

/// The smallest colour that no neighbour has, for the nodes in turn; loops count for nothing.
std::vector<int32_t> greedy_colours(CsrView graph, std::span<const Node> order);

/// Semi-synchronous propagation (Cordasco and Gargano, 2010): all nodes of a colour at once, the lowest colour first,
/// until each has a label that is as frequent as any among its neighbours. Stops where `go_on` says so.
std::vector<Node> propagate_labels(CsrView graph, std::span<const int32_t> colours, const std::function<bool()>& go_on);

/// Labels of the nodes, changed one at a time; ties are drawn.
class LabelSpread {
 public:
  /// `weights`, one an arc, may be empty: all are 1.
  LabelSpread(CsrView graph, std::span<const double> weights);

  /// Asynchronous propagation (Raghavan et al., Phys. Rev. E 76, 2007): visits the nodes in this order; says whether
  /// any changed.
  bool visit(std::span<const Node> order, const Draw& draw);
  /// The fast one (Traag and Subelj, Sci. Rep. 13, 2023): visits only nodes of which a neighbour changed.
  void visit_changed(std::span<const Node> order, const Draw& draw);

  std::span<const Node> labels() const { return labels_; }

 private:
  /// The most frequent labels among the neighbours, in the order in which they are met.
  void find_best(Node node);

  CsrView graph_;
  std::span<const double> weights_;
  std::vector<Node> labels_, met_, best_;
  std::vector<double> counts_;
};

}  // namespace tessera::routines::networks
