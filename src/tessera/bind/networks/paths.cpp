#include "tessera/routines/networks/paths.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>

#include "tessera/base/error.h"
#include "tessera/bind/networks/array_calls.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/results.h"
#include "tessera/routines/networks/bidirectional.h"

namespace tessera::bind::networks {

namespace {

using routines::networks::no_node;
using routines::networks::PathProblem;
using routines::networks::Paths;
using routines::networks::Reach;
using routines::networks::WeightedView;

/// Whole numbers are added as such where no sum can overflow; else as doubles.
bool adds_integers(const Network& network, const Column& column) {
  if (column.floats) return false;
  const double most = column.largest * static_cast<double>(network.nodes());
  require<NotImplementedError>(most < 4.0e18, "sums of an edge attribute's whole numbers may be beyond 2**62");
  return true;
}

const Column& path_column(const Network& network, nb::handle name) {
  const Column& column = network.column(name.ptr());
  require<NotImplementedError>(!column.nan, "NaN as a weight has no order that could be followed");
  return column;
}

/// Calls body(view) with the weights as they are added; each arc counts 1 where `name` is None.
template <class Body>
auto with_weights(const Network& network, nb::handle name, bool reverse, Body body) {
  const CsrView graph = reverse && network.directed() ? network.back() : network.graph();
  if (name.is_none()) {
    const std::vector<int64_t> ones(graph.arcs(), 1);
    return body(WeightedView<int64_t>{graph, ones});
  }
  const Column& column = path_column(network, name);
  const auto along = [&](const auto& values) {
    auto result = values;
    if (reverse && network.directed())
      for (size_t a = 0; a < result.size(); ++a) result[a] = values[network.back_arcs()[a]];
    return result;
  };
  if (adds_integers(network, column)) {
    if (!reverse) return body(WeightedView<int64_t>{graph, column.least_integers});
    const auto weights = along(column.least_integers);
    return body(WeightedView<int64_t>{graph, weights});
  }
  if (!reverse) return body(WeightedView<double>{graph, column.least});
  const auto weights = along(column.least);
  return body(WeightedView<double>{graph, weights});
}

/// NetworkX's distance of a source is the whole number 0.
template <class Length>
PyObject* length_of(const Paths<Length>& paths, Node node) {
  if (paths.parents[node] == no_node) return PyLong_FromLong(0);
  return to_python(paths.lengths[node]);
}

/// Lists of nodes from a source, each once, in the order in which `order` has the nodes.
template <class Length>
nb::object path_lists(const Network& network, const Paths<Length>& paths, std::span<const Node> order) {
  Object result = new_dictionary(static_cast<int64_t>(order.size()));
  std::vector<Node> way;
  for (Node node : order) {
    way.clear();
    for (Node each = node; each != no_node; each = paths.parents[each]) {
      way.push_back(each);
      require<NotImplementedError>(way.size() <= static_cast<size_t>(network.nodes()),
                                   "a cycle of length zero is on a shortest path");
    }
    std::ranges::reverse(way);
    checked(PyDict_SetItem(result.get(), network.label(node), label_list(network, way).get()));
  }
  return nb::steal(result.release());
}

template <class Length>
nb::object lists_before(const Network& network, const Paths<Length>& paths) {
  const auto& order = paths.found.empty() ? paths.order : paths.found;
  return dictionary_of(network, order, [&](size_t i) { return label_list(network, paths.before[order[i]]).release(); });
}

void raise_problem(PathProblem problem) {
  if (problem == PathProblem::none) return;
  if (problem == PathProblem::contradiction) {
    const Object arguments = owned(Py_BuildValue("(ss)", "Contradictory paths found:", "negative weights?"));
    PyErr_SetObject(PyExc_ValueError, arguments.get());
  } else {
    const Object type(import_attribute("networkx", "NetworkXUnbounded"));
    PyErr_SetString(type.get(), "Negative cycle detected.");
  }
  throw ErrorAlreadySet();
}

/// What the caller wants: lengths, paths, or for each node its predecessors.
struct Forms {
  bool lengths = true, paths = false, before = false;
};

template <class Length>
nb::object results(const Network& network, const Paths<Length>& found, const std::vector<Node>& sources, Forms forms) {
  raise_problem(found.problem);
  nb::object lengths = nb::none(), paths = nb::none(), before = nb::none();
  if (forms.lengths)
    lengths = dictionary_of(network, found.order, [&](size_t i) { return length_of(found, found.order[i]); });
  if (forms.paths) {
    // Sources come first.
    std::vector<Node> order = sources;
    for (Node node : found.order)
      if (found.parents[node] != no_node) order.push_back(node);
    paths = path_lists(network, found, order);
  }
  if (forms.before) before = lists_before(network, found);
  return nb::make_tuple(lengths, paths, before);
}

/// The length where nothing leads.
template <class Length>
constexpr Length nowhere =
    std::is_same_v<Length, int64_t> ? std::numeric_limits<Length>::max() : std::numeric_limits<Length>::infinity();

/// Whether lengths of all paths, which the engine may compute, are enough to tell Dijkstra's order: no arc is negative.
template <class Length>
bool suits_engine(const Network& network, WeightedView<Length> view) {
  return ArrayCall::is_worthwhile(network) &&
         std::ranges::all_of(view.weights, [](Length weight) { return weight >= 0 && weight < nowhere<Length>; });
}

template <class Length>
Paths<Length> settled_by_engine(const Network& network, WeightedView<Length> view, const std::vector<Node>& sources) {
  const ArrayCall call =
      ArrayCall(network).rows(RowsOf::graph).arcs(view.weights).nodes(sources).run("shortest_lengths", {});
  return unlocked(network, [&] {
    return routines::networks::settle(view, std::span<const Node>(sources), call.result<Length>(0), nowhere<Length>);
  });
}

/// (lengths, paths, predecessors), each None where not asked for.
nb::object dijkstra(const Network& network, nb::handle weight, const std::vector<Node>& sources,
                    std::optional<Node> target, std::optional<double> cutoff, bool reverse, bool lengths, bool paths,
                    bool before) {
  return with_weights(network, weight, reverse, [&]<class Length>(WeightedView<Length> view) {
    routines::networks::PathRequest<Length> request{
        .sources = sources, .target = target.value_or(no_node), .cutoff = nullptr, .all_before = before};
    Length limit{};
    if (cutoff && *cutoff < 4.0e18) {
      limit = static_cast<Length>(std::is_same_v<Length, int64_t> ? std::floor(std::max(*cutoff, -4.0e18)) : *cutoff);
      request.cutoff = &limit;
    }
    if (!weight.is_none() && !reverse && !before && !target && !cutoff && !sources.empty() &&
        suits_engine(network, view))
      return results(network, settled_by_engine(network, view, sources), sources, {lengths, paths, before});
    const auto found = unlocked(network, [&] { return routines::networks::dijkstra(view, request); });
    return results(network, found, sources, {lengths, paths, before});
  });
}

/// To one node: (length, path), or None where it is not reached.
nb::object dijkstra_to(const Network& network, nb::handle weight, const std::vector<Node>& sources, Node target,
                       std::optional<double> cutoff) {
  return with_weights(network, weight, false, [&]<class Length>(WeightedView<Length> view) -> nb::object {
    routines::networks::PathRequest<Length> request{
        .sources = sources, .target = target, .cutoff = nullptr, .all_before = false};
    Length limit{};
    if (cutoff && *cutoff < 4.0e18) {
      limit = static_cast<Length>(std::is_same_v<Length, int64_t> ? std::floor(std::max(*cutoff, -4.0e18)) : *cutoff);
      request.cutoff = &limit;
    }
    const auto found = unlocked(network, [&] { return routines::networks::dijkstra(view, request); });
    raise_problem(found.problem);
    if (found.order.empty() || found.order.back() != target) return nb::none();
    std::vector<Node> way;
    for (Node each = target; each != no_node; each = found.parents[each]) way.push_back(each);
    std::ranges::reverse(way);
    return nb::make_tuple(nb::steal(length_of(found, target)), nb::steal(label_list(network, way).release()));
  });
}

/// (length, path) by searches from both ends, or None.
nb::object dijkstra_between(const Network& network, nb::handle weight, Node source, Node target) {
  return with_weights(network, weight, false, [&]<class Length>(WeightedView<Length> view) -> nb::object {
    return with_weights(network, weight, true, [&]<class Other>(WeightedView<Other> back) -> nb::object {
      if constexpr (std::is_same_v<Length, Other>) {
        const auto found =
            unlocked(network, [&] { return routines::networks::weighted_path_between(view, back, source, target); });
        raise_problem(found.problem);
        if (found.nodes.empty()) return nb::none();
        return nb::make_tuple(found.length, nb::steal(label_list(network, found.nodes).release()));
      } else {
        return nb::none();  // both have the same column
      }
    });
  });
}

nb::object bellman_ford(const Network& network, nb::handle weight, const std::vector<Node>& sources, bool heuristic,
                        bool lengths, bool paths, bool before) {
  return with_weights(network, weight, false, [&]<class Length>(WeightedView<Length> view) {
    const auto found = unlocked(
        network, [&] { return routines::networks::bellman_ford(view, std::span<const Node>(sources), heuristic); });
    return results(network, found, sources, {lengths, paths, before});
  });
}

/// To one node: (length, path), or None where it is not reached.
nb::object bellman_ford_to(const Network& network, nb::handle weight, Node source, Node target) {
  return with_weights(network, weight, false, [&]<class Length>(WeightedView<Length> view) -> nb::object {
    const auto found = unlocked(
        network, [&] { return routines::networks::bellman_ford(view, std::span<const Node>(&source, 1), true); });
    raise_problem(found.problem);
    if (std::ranges::find(found.order, target) == found.order.end()) return nb::none();
    const nb::object lists = path_lists(network, found, std::span<const Node>(&target, 1));
    return nb::make_tuple(nb::steal(length_of(found, target)), lists[nb::handle(network.label(target))]);
  });
}

bool has_negative_cycle(const Network& network, nb::handle weight, bool heuristic) {
  // Every node is a source: as if one more node had arcs of weight zero to all.
  std::vector<Node> all(network.nodes());
  std::iota(all.begin(), all.end(), 0);
  return with_weights(network, weight, false, [&]<class Length>(WeightedView<Length> view) {
    const CsrView graph = view.graph;
    for (int64_t v = 0; v < network.nodes(); ++v)
      for (int64_t a = graph.begin(v); a < graph.end(v); ++a)
        if (graph.targets[a] == v && view.weights[a] < 0) return true;
    const auto found = unlocked(
        network, [&] { return routines::networks::bellman_ford(view, std::span<const Node>(all), heuristic); });
    return found.problem == PathProblem::negative_cycle;
  });
}

template <class Length>
nb::object reach_lists(const Network& network, WeightedView<Length> view, const std::vector<Node>& sources) {
  nb::list counts, totals, farthest, reciprocals;
  const size_t work = static_cast<size_t>(network.nodes() + network.graph().arcs()) + 1;
  const size_t together = std::max<size_t>(64, 50'000'000 / work);
  for (size_t first = 0; first < sources.size(); first += together) {
    const auto part = std::span(sources).subspan(first, std::min(together, sources.size() - first));
    const Reach<Length> reach = unlocked(network, [&] { return routines::networks::reach_of(view, part); });
    raise_problem(reach.problem);
    for (size_t i = 0; i < part.size(); ++i) {
      counts.append(reach.counts[i]);
      totals.append(reach.totals[i]);
      farthest.append(reach.farthest[i]);
      reciprocals.append(reach.reciprocals[i]);
    }
    checked(PyErr_CheckSignals());
  }
  return nb::make_tuple(counts, totals, farthest, reciprocals);
}

/// For each source: how many nodes are reached, the sum of lengths, the largest, the sum of reciprocals.
nb::object reach(const Network& network, nb::handle weight, const std::vector<Node>& sources, bool reverse) {
  if (weight.is_none())
    return reach_lists(network, WeightedView<int64_t>{reverse ? network.incoming() : network.graph(), {}}, sources);
  if (network.graph().arcs() == 0) return reach_lists(network, WeightedView<int64_t>{network.graph(), {}}, sources);
  return with_weights(network, weight, reverse,
                      [&]<class Length>(WeightedView<Length> view) { return reach_lists(network, view, sources); });
}

}  // namespace

void bind_paths(nb::module_& m) {
  m.def("dijkstra", &dijkstra, nb::arg(), nb::arg("weight").none(), nb::arg("sources"),
        nb::arg("target").none() = nb::none(), nb::arg("cutoff").none() = nb::none(), nb::arg("reverse") = false,
        nb::arg("lengths") = true, nb::arg("paths") = false, nb::arg("before") = false);
  m.def("dijkstra_to", &dijkstra_to, nb::arg(), nb::arg("weight").none(), nb::arg("sources"), nb::arg("target"),
        nb::arg("cutoff").none() = nb::none());
  m.def("dijkstra_between", &dijkstra_between, nb::arg(), nb::arg("weight").none(), nb::arg("source"),
        nb::arg("target"));
  m.def("bellman_ford", &bellman_ford, nb::arg(), nb::arg("weight").none(), nb::arg("sources"),
        nb::arg("heuristic") = true, nb::arg("lengths") = true, nb::arg("paths") = false, nb::arg("before") = false);
  m.def("bellman_ford_to", &bellman_ford_to, nb::arg(), nb::arg("weight").none(), nb::arg("source"), nb::arg("target"));
  m.def("has_negative_cycle", &has_negative_cycle, nb::arg(), nb::arg("weight").none(), nb::arg("heuristic") = true);
  m.def("reach", &reach, nb::arg(), nb::arg("weight").none(), nb::arg("sources"), nb::arg("reverse") = false);
}

}  // namespace tessera::bind::networks
