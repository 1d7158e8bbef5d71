/// Graphs as rows of neighbours (CSR), and what makes one from another; every order is fixed by the input alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tessera::routines::networks {

/// A node's number, from 0.
using Node = int32_t;
inline constexpr Node no_node = -1;

/// The neighbours of every node, one row after another; views do not own.
struct CsrView {
  std::span<const int64_t> offsets;
  std::span<const Node> targets;

  int64_t nodes() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t arcs() const { return static_cast<int64_t>(targets.size()); }
  int64_t begin(int64_t node) const { return offsets[node]; }
  int64_t end(int64_t node) const { return offsets[node + 1]; }
  int64_t degree(int64_t node) const { return offsets[node + 1] - offsets[node]; }
  std::span<const Node> row(int64_t node) const { return targets.subspan(begin(node), degree(node)); }
};

struct Csr {
  std::vector<int64_t> offsets{0};
  std::vector<Node> targets;

  CsrView view() const { return {offsets, targets}; }
};

/// All arcs reversed, rows in the order of the sources. `arcs`, where given, gets the number of each arc in `graph`.
Csr transpose(CsrView graph, std::vector<int64_t>* arcs = nullptr);

/// Each row's neighbours in increasing order, without duplicates and without loops.
Csr simple_rows(CsrView graph);

/// The arcs of both graphs, each row in increasing order, without duplicates and loops. Both have the same nodes.
Csr join_rows(CsrView left, CsrView right);

/// Nodes by increasing degree, of equal degree by number.
std::vector<Node> order_by_degree(CsrView graph);

}  // namespace tessera::routines::networks
