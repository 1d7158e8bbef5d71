/// Centralities that are fixed points: PageRank, eigenvector and Katz centrality, by power iteration.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/networks/csr.h"

namespace tessera::routines::networks {

/// A graph as the iterations read it: for each node the arcs that lead to it, by increasing source. `weights`, one an
/// arc, may be empty: all are 1.
struct IncomingArcs {
  CsrView sources;
  std::span<const double> weights;
};

struct PageRankRequest {
  double alpha = 0.85;
  double tolerance = 1e-6;
  int64_t iterations = 100;
  std::span<const double> start;            ///< sums to 1
  std::span<const double> personalization;  ///< sums to 1
  std::span<const double> dangling;         ///< what nodes without arcs pass on; sums to 1
};

/// Overwrites `ranks` and returns true, or false where the iteration did not converge. `strengths` are the sums of the
/// weights of each node's outgoing arcs.
bool page_rank(IncomingArcs graph, std::span<const double> strengths, const PageRankRequest& request,
               std::vector<double>& ranks);

/// Power iteration of A + I from `values`, which is overwritten; false where it did not converge.
bool eigenvector(IncomingArcs graph, int64_t iterations, double tolerance, std::vector<double>& values);

/// x = alpha A x + beta from `values`, which is overwritten; false where it did not converge.
bool katz(IncomingArcs graph, double alpha, std::span<const double> beta, int64_t iterations, double tolerance,
          std::vector<double>& values);

/// The Euclidean norm, with a fixed order of additions.
double norm(std::span<const double> values);

}  // namespace tessera::routines::networks
