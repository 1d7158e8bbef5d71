#include "tessera/routines/networks/ranks.h"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/base/error.h"
#include "tessera/bind/networks/array_calls.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/results.h"
#include "tessera/routines/networks/betweenness.h"

namespace tessera::bind::networks {

namespace {

using routines::networks::BetweennessSums;
using routines::networks::IncomingArcs;

/// Weights as matrices have them: parallel edges are added. Empty where `name` is None or all are 1.
std::span<const double> matrix_weights(const Network& network, nb::handle name) {
  if (name.is_none()) {
    require<NotImplementedError>(!network.multigraph(), "parallel edges without a weight");
    return {};
  }
  if (!network.multigraph() && network.constant(name.ptr()) == 1.0) return {};
  const Column& column = network.column(name.ptr());
  require<NotImplementedError>(!column.nan && !std::isinf(column.largest), "weights that are NaN or infinite");
  return network.multigraph() ? column.sum : column.least;
}

/// The arcs of the transposed graph with their weights, which `storage` keeps. Undirected graphs are their own.
IncomingArcs incoming_arcs(const Network& network, std::span<const double> weights, std::vector<double>& storage) {
  if (!network.directed()) return {network.graph(), weights};
  const CsrView sources = network.back();
  if (weights.empty()) return {sources, {}};
  const auto arcs = network.back_arcs();
  storage.resize(arcs.size());
  for (size_t a = 0; a < arcs.size(); ++a) storage[a] = weights[arcs[a]];
  return {sources, storage};
}

bool all_ones(std::span<const double> weights) {
  for (double weight : weights)
    if (weight != 1.0) return false;
  return true;
}

/// The sums of the weights of each node's arcs; all are 1 where there are none.
std::vector<double> strengths_of(const Network& network, std::span<const double> weights) {
  std::vector<double> strengths(network.nodes());
  const CsrView graph = network.graph();
  for (int64_t v = 0; v < network.nodes(); ++v) {
    if (weights.empty()) strengths[v] = static_cast<double>(graph.degree(v));
    for (int64_t a = graph.begin(v); !weights.empty() && a < graph.end(v); ++a) strengths[v] += weights[a];
  }
  return strengths;
}

/// Values of an iteration, and whether it converged.
struct Ranks {
  std::vector<double> values;
  bool converged = false;

  nb::object of(const Network& network) const { return converged ? numbers_of_all(network, values) : nb::none(); }
};

Ranks ranks_of(const ArrayCall& call) { return {call.result<double>(0), call.result<int64_t>(1)[0] != 0}; }

nb::object page_rank(const Network& network, nb::handle weight, double alpha, double tolerance, int64_t iterations,
                     nb::handle start, nb::handle personalization, nb::handle dangling) {
  const int64_t nodes = network.nodes();
  std::vector<double> multiplicities;
  std::span<const double> weights;
  if (weight.is_none() && network.multigraph()) {
    multiplicities.assign(network.multiplicity().begin(), network.multiplicity().end());
    weights = multiplicities;
  } else {
    weights = matrix_weights(network, weight);
  }
  if (all_ones(weights)) weights = {};
  const auto given = [&](nb::handle list) {
    return list.is_none() ? std::vector<double>(nodes, 1.0 / static_cast<double>(nodes)) : values_of(list);
  };
  const auto first = given(start), preferred = given(personalization);
  const auto passed_on = dangling.is_none() ? preferred : values_of(dangling);
  if (multiplicities.empty() && ArrayCall::is_worthwhile(network)) {
    const auto strengths = unlocked(network, [&] { return strengths_of(network, weights); });
    return ranks_of(ArrayCall(network)
                        .incoming(weights)
                        .values(strengths)
                        .values(first)
                        .values(preferred)
                        .values(passed_on)
                        .run("page_rank", {!weights.empty(), alpha, tolerance, iterations}))
        .of(network);
  }
  Ranks ranks;
  ranks.converged = unlocked(network, [&] {
    std::vector<double> storage;
    return routines::networks::page_rank(incoming_arcs(network, weights, storage), strengths_of(network, weights),
                                         {.alpha = alpha,
                                          .tolerance = tolerance,
                                          .iterations = iterations,
                                          .start = first,
                                          .personalization = preferred,
                                          .dangling = passed_on},
                                         ranks.values);
  });
  return ranks.of(network);
}

nb::object eigenvector(const Network& network, nb::handle weight, int64_t iterations, double tolerance,
                       nb::handle start) {
  Ranks ranks{.values = values_of(start)};
  const auto weights = matrix_weights(network, weight);
  if (ArrayCall::is_worthwhile(network))
    return ranks_of(ArrayCall(network)
                        .incoming(weights)
                        .values(ranks.values)
                        .run("eigenvector_centrality", {!weights.empty(), tolerance, iterations}))
        .of(network);
  ranks.converged = unlocked(network, [&] {
    std::vector<double> storage;
    return routines::networks::eigenvector(incoming_arcs(network, weights, storage), iterations, tolerance,
                                           ranks.values);
  });
  return ranks.of(network);
}

Ranks katz_ranks(const Network& network, std::span<const double> weights, double alpha, std::span<const double> beta,
                 int64_t iterations, double tolerance, std::vector<double> start) {
  if (ArrayCall::is_worthwhile(network))
    return ranks_of(ArrayCall(network).incoming(weights).values(start).values(beta).run(
        "katz_centrality", {!weights.empty(), alpha, tolerance, iterations}));
  Ranks ranks{.values = std::move(start)};
  ranks.converged = unlocked(network, [&] {
    std::vector<double> storage;
    return routines::networks::katz(incoming_arcs(network, weights, storage), alpha, beta, iterations, tolerance,
                                    ranks.values);
  });
  return ranks;
}

nb::object katz(const Network& network, nb::handle weight, double alpha, nb::handle beta, int64_t iterations,
                double tolerance, nb::handle start, bool normalized) {
  Ranks ranks = katz_ranks(network, matrix_weights(network, weight), alpha, values_of(beta), iterations, tolerance,
                           values_of(start));
  if (ranks.converged && normalized) {
    const double length = routines::networks::norm(ranks.values);
    const double scale = length == 0 ? 1.0 : 1.0 / length;
    for (double& value : ranks.values) value *= scale;
  }
  return ranks.of(network);
}

/// Adds up the shares of all sources, a few at a time so that Ctrl-C is heard.
BetweennessSums add_up(const Network& network, const routines::networks::BetweennessRequest& request,
                       std::span<const Node> sources) {
  BetweennessSums sums;
  const size_t work = static_cast<size_t>(network.nodes() + network.graph().arcs()) + 1;
  const size_t together = std::max<size_t>(64, 50'000'000 / work);
  routines::networks::add_betweenness(request, {}, sums);
  for (size_t first = 0; first < sources.size(); first += together) {
    const auto part = sources.subspan(first, std::min(together, sources.size() - first));
    unlocked(network, [&] {
      routines::networks::add_betweenness(request, part, sums);
      return 0;
    });
    checked(PyErr_CheckSignals());
  }
  return sums;
}

std::vector<Node> sources_of(const Network& network, nb::handle sources) {
  std::vector<Node> result;
  if (!sources.is_none()) {
    for (nb::handle source : sources) result.push_back(nb::cast<Node>(source));
    return result;
  }
  result.resize(network.nodes());
  std::iota(result.begin(), result.end(), 0);
  return result;
}

/// Lengths of arcs for shortest paths; empty where `name` is None.
std::span<const double> path_weights(const Network& network, nb::handle name) {
  if (name.is_none()) return {};
  const Column& column = network.column(name.ptr());
  require<NotImplementedError>(!column.nan, "NaN as a weight has no order that could be followed");
  constexpr double exact = 9007199254740992.0;  // doubles hold all whole numbers up to it
  require<NotImplementedError>(column.floats || column.largest * static_cast<double>(network.nodes()) <= exact,
                               "sums of these whole weights are not exact as doubles");
  return column.least;
}

/// {node: its shares times `scale`, at sources times `source_scale`}.
nb::object betweenness(const Network& network, nb::handle weight, nb::handle sources, bool endpoints, double scale,
                       double source_scale) {
  const std::vector<Node> from = sources_of(network, sources);
  auto sums = add_up(network,
                     {.graph = network.graph(),
                      .weights = path_weights(network, weight),
                      .targets = {},
                      .endpoints = endpoints,
                      .nodes = true,
                      .arcs = false},
                     from);
  std::vector<double> scales(network.nodes(), scale);
  if (!sources.is_none())
    for (Node source : from) scales[source] = source_scale;
  return dictionary_of_all(network, [&](int64_t v) { return PyFloat_FromDouble(sums.nodes[v] * scales[v]); });
}

/// {node: its shares of paths from the sources to the targets, times `scale`}.
nb::object subset_betweenness(const Network& network, nb::handle weight, const std::vector<Node>& sources,
                              const std::vector<Node>& targets, double scale) {
  std::vector<uint8_t> wanted(network.nodes());
  for (Node node : targets) wanted[node] = 1;
  const auto sums = add_up(network,
                           {.graph = network.graph(),
                            .weights = path_weights(network, weight),
                            .targets = wanted,
                            .endpoints = false,
                            .nodes = true,
                            .arcs = false},
                           sources);
  return dictionary_of_all(network, [&](int64_t v) { return PyFloat_FromDouble(sums.nodes[v] * scale); });
}

/// What each node passes on, times `scale`; see `load`.
nb::object load(const Network& network, double scale) {
  const std::vector<Node> sources = sources_of(network, nb::none());
  std::vector<double> sums(network.nodes());
  const size_t work = static_cast<size_t>(network.nodes() + network.graph().arcs()) + 1;
  const size_t together = std::max<size_t>(64, 50'000'000 / work);
  for (size_t first = 0; first < sources.size(); first += together) {
    const auto part = std::span(sources).subspan(first, std::min(together, sources.size() - first));
    const auto found = unlocked(network, [&] { return routines::networks::load(network.graph(), part); });
    for (size_t v = 0; v < sums.size(); ++v) sums[v] += found[v];
    checked(PyErr_CheckSignals());
  }
  return dictionary_of_all(network, [&](int64_t v) { return PyFloat_FromDouble(sums[v] * scale); });
}

/// {edge: its shares times `scale`}; of undirected graphs each edge has those of both directions.
nb::object edge_betweenness(const Network& network, nb::handle weight, nb::handle sources, double scale) {
  const auto sums = add_up(network,
                           {.graph = network.graph(),
                            .weights = path_weights(network, weight),
                            .targets = {},
                            .endpoints = false,
                            .nodes = false,
                            .arcs = true},
                           sources_of(network, sources));
  const CsrView graph = network.graph(), back = network.back();
  Object result = new_dictionary(network.edges());
  for (int64_t v = 0; v < network.nodes(); ++v) {
    for (int64_t a = graph.begin(v); a < graph.end(v); ++a) {
      const Node u = graph.targets[a];
      if (!network.directed() && u < v) continue;
      double share = sums.arcs[a];
      if (!network.directed() && u != v) {
        const auto row = back.row(v);
        share += sums.arcs[network.back_arcs()[back.begin(v) + (std::ranges::lower_bound(row, u) - row.begin())]];
      }
      const Object pair = label_pair(network, static_cast<Node>(v), u),
                   value = owned(PyFloat_FromDouble(share * scale));
      checked(PyDict_SetItem(result.get(), pair.get(), value.get()));
    }
  }
  return nb::steal(result.release());
}

}  // namespace

void bind_ranks(nb::module_& m) {
  m.def("page_rank", &page_rank, nb::arg(), nb::arg("weight").none(), nb::arg("alpha"), nb::arg("tolerance"),
        nb::arg("iterations"), nb::arg("start").none(), nb::arg("personalization").none(), nb::arg("dangling").none());
  m.def("eigenvector", &eigenvector, nb::arg(), nb::arg("weight").none(), nb::arg("iterations"), nb::arg("tolerance"),
        nb::arg("start"));
  m.def("katz", &katz, nb::arg(), nb::arg("weight").none(), nb::arg("alpha"), nb::arg("beta"), nb::arg("iterations"),
        nb::arg("tolerance"), nb::arg("start"), nb::arg("normalized"));
  m.def("betweenness", &betweenness, nb::arg(), nb::arg("weight").none(), nb::arg("sources").none(),
        nb::arg("endpoints"), nb::arg("scale"), nb::arg("source_scale"));
  m.def("subset_betweenness", &subset_betweenness, nb::arg(), nb::arg("weight").none(), nb::arg("sources"),
        nb::arg("targets"), nb::arg("scale"));
  m.def("load", &load);
  m.def("edge_betweenness", &edge_betweenness, nb::arg(), nb::arg("weight").none(), nb::arg("sources").none(),
        nb::arg("scale"));
}

}  // namespace tessera::bind::networks
