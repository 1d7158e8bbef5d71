#include "tessera/routines/networks/traversal.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>
#include <string_view>

#include "tessera/bind/networks/array_calls.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/results.h"

namespace tessera::bind::networks {

namespace {

using routines::networks::no_limit;
using routines::networks::no_node;
using routines::networks::Search;

/// A search that the engine ran: nodes, parents and distances.
Search search_of(const ArrayCall& call) {
  Search result{.order = call.result_nodes(0), .parents = call.result_nodes(1), .levels = {0}};
  const auto distances = call.result<int64_t>(2);
  for (size_t i = 1; i < distances.size(); ++i)
    if (distances[i] != distances[i - 1]) result.levels.push_back(static_cast<int64_t>(i));
  if (!distances.empty()) result.levels.push_back(static_cast<int64_t>(distances.size()));
  return result;
}

Search search(const Network& network, const std::vector<Node>& sources, std::optional<int64_t> steps, bool reverse) {
  // Rows of predecessors are in the order of dictionaries that may have been read after other rows.
  if (!(reverse && network.directed()) && !sources.empty() && ArrayCall::is_worthwhile(network))
    return search_of(
        ArrayCall(network).rows(RowsOf::graph).nodes(sources).run("breadth_first", {steps.value_or(no_limit)}));
  return unlocked(network, [&] {
    Search result;
    routines::networks::Marks marks(network.nodes());
    routines::networks::breadth_first(reverse ? network.incoming() : network.graph(), sources, steps.value_or(no_limit),
                                      marks, result);
    return result;
  });
}

/// Distances of all that was reached, in the order in which it was found.
nb::object lengths(const Network& network, const Search& found) {
  Object result = new_dictionary(static_cast<int64_t>(found.order.size()));
  for (size_t level = 0; level + 1 < found.levels.size(); ++level) {
    const Object length = owned(PyLong_FromSize_t(level));
    for (int64_t i = found.levels[level]; i < found.levels[level + 1]; ++i)
      checked(PyDict_SetItem(result.get(), network.label(found.order[i]), length.get()));
  }
  return nb::steal(result.release());
}

nb::object bfs_lengths(const Network& network, const std::vector<Node>& sources, std::optional<int64_t> steps,
                       bool reverse) {
  return lengths(network, search(network, sources, steps, reverse));
}

/// Lists of nodes from the source to each node found; to the source if `reverse`.
nb::object bfs_paths(const Network& network, Node source, std::optional<int64_t> steps, bool reverse) {
  const Search found = search(network, {source}, steps, reverse);
  std::vector<PyObject*> paths(network.nodes());  // borrowed from the dictionary
  Object result = new_dictionary(static_cast<int64_t>(found.order.size()));
  for (size_t i = 0; i < found.order.size(); ++i) {
    const Node node = found.order[i], parent = found.parents[i];
    PyObject* before = parent == no_node ? nullptr : paths[parent];
    const Py_ssize_t length = before ? PyList_GET_SIZE(before) : 0;
    Object path = owned(PyList_New(length + 1));
    const Py_ssize_t shift = reverse ? 1 : 0;
    for (Py_ssize_t k = 0; k < length; ++k)
      PyList_SET_ITEM(path.get(), k + shift, Py_NewRef(PyList_GET_ITEM(before, k)));
    PyList_SET_ITEM(path.get(), reverse ? 0 : length, Py_NewRef(network.label(node)));
    checked(PyDict_SetItem(result.get(), network.label(node), path.get()));
    paths[node] = path.get();
  }
  return nb::steal(result.release());
}

/// The nodes of a shortest path, or None.
nb::object bfs_path(const Network& network, Node source, Node target) {
  const std::vector<Node> path = unlocked(
      network, [&] { return routines::networks::path_between(network.graph(), network.incoming(), source, target); });
  if (path.empty()) return nb::none();
  return nb::steal(label_list(network, path).release());
}

/// Pairs of nodes, found from and found; the other way round if `swapped`.
nb::list pairs(const Network& network, const std::vector<Node>& nodes, const std::vector<Node>& parents, bool swapped) {
  nb::list result;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (parents[i] == no_node) continue;
    const Object pair = swapped ? label_pair(network, nodes[i], parents[i]) : label_pair(network, parents[i], nodes[i]);
    checked(PyList_Append(result.ptr(), pair.get()));
  }
  return result;
}

nb::list bfs_edges(const Network& network, Node source, std::optional<int64_t> steps, bool reverse, bool swapped) {
  const Search found = search(network, {source}, steps, reverse);
  return pairs(network, found.order, found.parents, swapped);
}

/// Each node that others were found from, with the list of those.
nb::list grouped(const Network& network, const std::vector<Node>& nodes, const std::vector<Node>& parents) {
  nb::list result;
  for (size_t i = 0; i < nodes.size();) {
    if (parents[i] == no_node) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < nodes.size() && parents[end] == parents[i]) ++end;
    const Object children = label_list(network, std::span(nodes).subspan(i, end - i));
    const Object pair = owned(PyTuple_Pack(2, network.label(parents[i]), children.get()));
    checked(PyList_Append(result.ptr(), pair.get()));
    i = end;
  }
  return result;
}

nb::list bfs_successors(const Network& network, Node source, std::optional<int64_t> steps) {
  const Search found = search(network, {source}, steps, false);
  return grouped(network, found.order, found.parents);
}

nb::list layers(const Network& network, const Search& found) {
  nb::list result;
  for (size_t level = 0; level + 1 < found.levels.size(); ++level) {
    const auto nodes =
        std::span(found.order).subspan(found.levels[level], found.levels[level + 1] - found.levels[level]);
    checked(PyList_Append(result.ptr(), label_list(network, nodes).get()));
  }
  return result;
}

nb::list bfs_layers(const Network& network, const std::vector<Node>& sources, std::optional<int64_t> steps) {
  return layers(network, search(network, sources, steps, false));
}

/// All that can be reached, without the source.
nb::object reached(const Network& network, Node source, bool reverse) {
  const Search found = search(network, {source}, std::nullopt, reverse);
  return nb::steal(label_set(network, std::span(found.order).subspan(1)).release());
}

nb::object dfs(const Network& network, std::optional<Node> source, std::optional<int64_t> depth, const char* form) {
  std::vector<Node> sources(source ? 1 : network.nodes());
  if (source)
    sources[0] = *source;
  else
    std::iota(sources.begin(), sources.end(), 0);
  const auto found = unlocked(
      network, [&] { return routines::networks::depth_first(network.graph(), sources, depth.value_or(no_limit)); });
  const std::string_view wanted = form;
  if (wanted == "edges") return pairs(network, found.order, found.parents, false);
  return nb::steal(label_list(network, wanted == "preorder" ? found.order : found.postorder).release());
}

/// Generations, and whether they are all nodes: else there is a circle.
nb::object generations(const Network& network) {
  const Search found = unlocked(network, [&] { return routines::networks::topological_layers(network.graph()); });
  const bool complete = static_cast<int64_t>(found.order.size()) == network.nodes();
  return nb::make_tuple(layers(network, found), complete);
}

bool acyclic(const Network& network) {
  return unlocked(network, [&] {
    return static_cast<int64_t>(routines::networks::topological_layers(network.graph()).order.size()) ==
           network.nodes();
  });
}

/// {node: 0 or 1}, or None where two colours do not suffice.
nb::object colours(const Network& network) {
  std::vector<int8_t> result;
  const bool possible = unlocked(network, [&] {
    return routines::networks::two_colours(network.directed() ? network.simple() : network.graph(), result);
  });
  if (!possible) return nb::none();
  return dictionary_of_all(network, [&](int64_t v) { return PyLong_FromLong(result[v]); });
}

}  // namespace

void bind_traversal(nb::module_& m) {
  m.def("bfs_lengths", &bfs_lengths, nb::arg(), nb::arg(), nb::arg("steps").none() = nb::none(),
        nb::arg("reverse") = false);
  m.def("bfs_paths", &bfs_paths, nb::arg(), nb::arg(), nb::arg("steps").none() = nb::none(),
        nb::arg("reverse") = false);
  m.def("bfs_path", &bfs_path);
  m.def("bfs_edges", &bfs_edges, nb::arg(), nb::arg(), nb::arg("steps").none() = nb::none(), nb::arg("reverse") = false,
        nb::arg("swapped") = false);
  m.def("bfs_successors", &bfs_successors, nb::arg(), nb::arg(), nb::arg("steps").none() = nb::none());
  m.def("bfs_layers", &bfs_layers, nb::arg(), nb::arg(), nb::arg("steps").none() = nb::none());
  m.def("reached", &reached, nb::arg(), nb::arg(), nb::arg("reverse") = false);
  m.def("dfs", &dfs, nb::arg(), nb::arg("source").none(), nb::arg("depth").none(), nb::arg("form"));
  m.def("generations", &generations);
  m.def("acyclic", &acyclic);
  m.def("colours", &colours);
}

}  // namespace tessera::bind::networks
