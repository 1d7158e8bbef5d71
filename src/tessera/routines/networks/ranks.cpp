#include "tessera/routines/networks/ranks.h"

#include <cmath>

#include "tessera/routines/networks/ordered_sum.h"
#include "tessera/routines/networks/row_pieces.h"

namespace tessera::routines::networks {

namespace {

constexpr int64_t rank_grain = 2048;

/// result[v] = begin[v] + the sum of x[u] * weight over the arcs from u to v; `begin` may be empty.
void spread(IncomingArcs graph, std::span<const double> x, std::span<const double> begin, std::vector<double>& result) {
  auto body = [&](int64_t first, int64_t last) {
    for (int64_t v = first; v < last; ++v) {
      const CsrView rows = graph.sources;
      const double start = begin.empty() ? 0.0 : begin[v];
      result[v] = graph.weights.empty()
                      ? sum_of_row(rows.begin(v), rows.end(v), start, [&](int64_t a) { return x[rows.targets[a]]; })
                      : sum_of_row(rows.begin(v), rows.end(v), start,
                                   [&](int64_t a) { return x[rows.targets[a]] * graph.weights[a]; });
    }
  };
  runtime::parallel_for(graph.sources.nodes(), rank_grain, body);
}

template <class Body>
void each_node(int64_t nodes, Body write) {
  auto body = [&](int64_t first, int64_t last) {
    for (int64_t v = first; v < last; ++v) write(v);
  };
  runtime::parallel_for(nodes, 16384, body);
}

double distance(std::span<const double> left, std::span<const double> right) {
  return ordered_sum(static_cast<int64_t>(left.size()), [&](int64_t v) { return std::abs(left[v] - right[v]); });
}

}  // namespace

double norm(std::span<const double> values) {
  return std::sqrt(ordered_sum(static_cast<int64_t>(values.size()), [&](int64_t v) { return values[v] * values[v]; }));
}

bool page_rank(IncomingArcs graph, std::span<const double> strengths, const PageRankRequest& request,
               std::vector<double>& ranks) {
  const int64_t nodes = graph.sources.nodes();
  std::vector<double> shares(nodes), passed(nodes), next(nodes);
  each_node(nodes, [&](int64_t v) { shares[v] = strengths[v] != 0 ? 1.0 / strengths[v] : 0.0; });
  ranks.assign(request.start.begin(), request.start.end());
  for (int64_t iteration = 0; iteration < request.iterations; ++iteration) {
    each_node(nodes, [&](int64_t v) { passed[v] = shares[v] * ranks[v]; });
    spread(graph, passed, {}, next);
    const double lost = ordered_sum(nodes, [&](int64_t v) { return shares[v] == 0 ? ranks[v] : 0.0; });
    each_node(nodes, [&](int64_t v) {
      next[v] =
          request.alpha * (next[v] + lost * request.dangling[v]) + (1 - request.alpha) * request.personalization[v];
    });
    const double error = distance(next, ranks);
    ranks.swap(next);
    if (error < static_cast<double>(nodes) * request.tolerance) return true;
  }
  return false;
}

bool eigenvector(IncomingArcs graph, int64_t iterations, double tolerance, std::vector<double>& values) {
  const int64_t nodes = graph.sources.nodes();
  std::vector<double> next(nodes);
  for (int64_t iteration = 0; iteration < iterations; ++iteration) {
    spread(graph, values, values, next);
    double length = norm(next);
    if (length == 0) length = 1;
    each_node(nodes, [&](int64_t v) { next[v] /= length; });
    const double error = distance(next, values);
    values.swap(next);
    if (error < static_cast<double>(nodes) * tolerance) return true;
  }
  return false;
}

bool katz(IncomingArcs graph, double alpha, std::span<const double> beta, int64_t iterations, double tolerance,
          std::vector<double>& values) {
  const int64_t nodes = graph.sources.nodes();
  std::vector<double> next(nodes);
  for (int64_t iteration = 0; iteration < iterations; ++iteration) {
    spread(graph, values, {}, next);
    each_node(nodes, [&](int64_t v) { next[v] = alpha * next[v] + beta[v]; });
    const double error = distance(next, values);
    values.swap(next);
    if (error < static_cast<double>(nodes) * tolerance) return true;
  }
  return false;
}

}  // namespace tessera::routines::networks
