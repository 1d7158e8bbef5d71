#include "tessera/routines/networks/communities.h"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>

#include "tessera/base/error.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/python_random.h"
#include "tessera/bind/networks/results.h"

namespace tessera::bind::networks {

namespace {

using routines::networks::LouvainLevel;

/// Sums of the weights of parallel edges; each edge counts 1 where `name` is None.
std::vector<double> summed_weights(const Network& network, nb::handle name) {
  if (name.is_none()) {
    if (!network.multigraph()) return std::vector<double>(network.graph().arcs(), 1.0);
    return {network.multiplicity().begin(), network.multiplicity().end()};
  }
  const Column& column = network.column(name.ptr());
  require<NotImplementedError>(!column.nan && !column.negative, "weights that are NaN or negative");
  const auto& weights = network.multigraph() ? column.sum : column.least;
  return {weights.begin(), weights.end()};
}

/// The sets of nodes of `count` communities.
nb::list sets(const Network& network, std::span<const Node> community, int64_t count) {
  std::vector<Object> parts;
  for (int64_t c = 0; c < count; ++c) parts.push_back(owned(PySet_New(nullptr)));
  for (int64_t v = 0; v < network.nodes(); ++v) checked(PySet_Add(parts[community[v]].get(), network.label(v)));
  nb::list result;
  for (const Object& part : parts) checked(PyList_Append(result.ptr(), part.get()));
  return result;
}

/// The partition of each level, or of the last alone.
nb::list louvain(const Network& network, nb::handle weight, double resolution, double threshold, nb::handle generator,
                 int64_t levels, bool all) {
  const auto weights = summed_weights(network, weight);
  const bool directed = network.directed();
  LouvainLevel level(routines::networks::edges_of(network.graph(), weights, directed), directed);
  const double total = level.total_weight();
  require<ZeroDivisionError>(total != 0, "float division by zero");
  double before = level.modularity(resolution);
  std::vector<Node> community(network.nodes());
  std::iota(community.begin(), community.end(), 0);
  nb::list result;
  for (int64_t number = 1;; ++number) {
    const auto order = shuffled_nodes(generator.ptr(), level.nodes());
    const bool moved = unlocked(network, [&] { return level.move_nodes(order, total, resolution); });
    if (number > 1 && !moved) break;
    for (Node& each : community) each = level.community()[each];
    const double reached = level.modularity(resolution);
    const bool last = reached - before <= threshold || number == levels;
    if (all || last) result.append(sets(network, community, level.communities()));
    if (last) return result;
    before = reached;
    level = unlocked(network, [&] { return LouvainLevel(level.contracted(), directed); });
    checked(PyErr_CheckSignals());
  }
  if (!all) result.append(sets(network, community, 1 + *std::ranges::max_element(community)));
  return result;
}

/// The partition of each level of the Leiden method, as many as `levels` or, if that is negative, all.
nb::list leiden(const Network& network, nb::handle weight, double resolution, nb::handle generator, int64_t levels) {
  const auto weights = summed_weights(network, weight);
  LouvainLevel level(routines::networks::edges_of(network.graph(), weights, false), false);
  const double total = level.total_weight();
  require<ZeroDivisionError>(total != 0, "float division by zero");
  std::vector<Node> place(network.nodes()), found(network.nodes());  // of each node, in the level and its partition
  std::iota(place.begin(), place.end(), 0);
  nb::list result;
  for (int64_t number = 0; number != levels; ++number) {
    const auto order = shuffled_nodes(generator.ptr(), level.nodes());
    const bool moved = unlocked(network, [&] { return level.move_nodes(order, total, resolution); });
    if (number > 0 && !moved) break;
    const std::vector<Node> whole(level.community().begin(), level.community().end());
    for (size_t v = 0; v < place.size(); ++v) found[v] = whole[place[v]];
    result.append(sets(network, found, level.communities()));
    unlocked(network, [&] {
      level.refine(order, total, resolution);
      return 0;
    });
    if (level.communities() == level.nodes()) break;
    std::vector<Node> begin(level.communities());
    for (int64_t v = 0; v < level.nodes(); ++v) begin[level.community()[v]] = whole[v];
    for (Node& each : place) each = level.community()[each];
    level = unlocked(network, [&] { return LouvainLevel(level.contracted(), false); });
    level.begin_at(begin);
    checked(PyErr_CheckSignals());
  }
  return result;
}

double modularity(const Network& network, nb::handle weight, const std::vector<Node>& community, int64_t count,
                  double resolution) {
  const auto weights = summed_weights(network, weight);
  require<ZeroDivisionError>(std::ranges::any_of(weights, [](double each) { return each != 0; }), "division by zero");
  return unlocked(network, [&] {
    return routines::networks::modularity(network.graph(), weights, network.directed(), community, count, resolution);
  });
}

}  // namespace

void bind_communities(nb::module_& m) {
  m.def("louvain", &louvain, nb::arg(), nb::arg("weight").none(), nb::arg("resolution"), nb::arg("threshold"),
        nb::arg("generator"), nb::arg("levels"), nb::arg("all"));
  m.def("leiden", &leiden, nb::arg(), nb::arg("weight").none(), nb::arg("resolution"), nb::arg("generator"),
        nb::arg("levels"));
  m.def("modularity", &modularity, nb::arg(), nb::arg("weight").none(), nb::arg("community"), nb::arg("count"),
        nb::arg("resolution"));
}

}  // namespace tessera::bind::networks
