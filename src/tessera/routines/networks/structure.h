/// How densely graphs are knit: core numbers, triangles, squares, clustering coefficients, common neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

/// The largest k for which each node is in a subgraph of degrees k and more (Batagelj and Zaversnik, 2003). Of a
/// directed graph `back` has the arcs reversed, and both kinds count; else it is empty.
std::vector<int64_t> core_numbers(CsrView graph, CsrView back);

/// Triangles at each node; rows are sorted and have neither duplicates nor loops.
std::vector<int64_t> triangles(CsrView simple);

/// Sums over the pairs of neighbours of `node` that are neighbours: twice the cube root of the product of the three
/// weights, which are divided by `largest`. Rows may have loops, which are ignored, and no duplicates.
std::vector<double> weighted_triangles(CsrView graph, std::span<const double> weights, double largest);

/// Of a directed graph: triangles of any direction at each node, as Fagiolo (Phys. Rev. E 76, 2007) counts them,
/// degrees, and neighbours in both directions. `in_weights` belong to `back`; both kinds of weights may be empty.
struct DirectedTriangles {
  std::vector<double> triangles;
  std::vector<int64_t> degrees, mutual;
};
DirectedTriangles directed_triangles(CsrView graph, CsrView back, std::span<const double> out_weights,
                                     std::span<const double> in_weights, double largest);

/// The share of possible squares at each node that there are; rows are sorted, without duplicates and loops.
std::vector<double> square_clustering(CsrView simple);

/// Neighbours that both have, in increasing order; both rows are sorted.
void common_neighbours(std::span<const Node> left, std::span<const Node> right, std::vector<Node>& result);

}  // namespace tessera::routines::networks
