#include "tessera/routines/networks/derived.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "tessera/base/error.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/results.h"
#include "tessera/routines/networks/traversal.h"
#include "tessera/routines/networks/trees.h"

namespace tessera::bind::networks {

namespace {

/// Arcs to be added to NetworkX's dictionaries, and numbers for an attribute of each, if they have one.
struct Arcs {
  Csr rows;
  std::vector<int64_t> counts;
  double divisor = 0;  ///< of the counts, whose quotients the attribute has; 0 where it has the counts
};

/// The dictionary of one new arc.
Object attributes_of(const Arcs& arcs, int64_t arc, PyObject* name) {
  Object data = owned(PyDict_New());
  if (name == Py_None) return data;
  const int64_t count = arcs.counts[arc];
  const Object value = owned(arcs.divisor == 0 ? PyLong_FromLongLong(count)
                                               : PyFloat_FromDouble(static_cast<double>(count) / arcs.divisor));
  checked(PyDict_SetItem(data.get(), name, value.get()));
  return data;
}

/// Adds the arcs that are not there to the dictionaries of a graph whose nodes are these; `predecessors` is None for
/// undirected graphs.
void add_arcs(nb::dict adjacency, nb::handle predecessors, nb::list labels, const Arcs& arcs, bool multigraph,
              nb::handle name) {
  const CsrView rows = arcs.rows.view();
  const Object zero = owned(PyLong_FromLong(0));
  const auto count = static_cast<int64_t>(labels.size());
  std::vector<PyObject*> back(count);  // borrowed from the dictionaries, which keep their rows
  for (int64_t v = 0; v < count; ++v)
    back[v] = checked(PyDict_GetItemWithError(predecessors.is_none() ? adjacency.ptr() : predecessors.ptr(),
                                              PyList_GET_ITEM(labels.ptr(), v)));
  for (int64_t v = 0; v < rows.nodes(); ++v) {
    PyObject* label = PyList_GET_ITEM(labels.ptr(), v);
    PyObject* row = checked(PyDict_GetItemWithError(adjacency.ptr(), label));
    for (int64_t a = rows.begin(v); a < rows.end(v); ++a) {
      PyObject* other = PyList_GET_ITEM(labels.ptr(), rows.targets[a]);
      const int there = PyDict_Contains(row, other);
      checked(there);
      if (there) continue;
      Object data = attributes_of(arcs, a, name.ptr());
      if (multigraph) {
        Object keys = owned(PyDict_New());
        checked(PyDict_SetItem(keys.get(), zero.get(), data.get()));
        data = std::move(keys);
      }
      checked(PyDict_SetItem(row, other, data.get()));
      checked(PyDict_SetItem(back[rows.targets[a]], label, data.get()));
    }
  }
}

Arcs complement(const Network& network) {
  return {unlocked(network, [&] { return routines::networks::complement(network.graph()); }), {}};
}

/// What each node reaches; `itself` is "arcs" where only arcs that lead back to a node do so, or "always" or "never".
Arcs closure(const Network& network, const std::string& itself) {
  Csr rows = unlocked(network, [&] { return routines::networks::reachable(network.graph()); });
  const bool leads_back = itself == "arcs" && network.directed();
  if (leads_back) return {std::move(rows), {}};
  Csr result;
  for (int64_t v = 0; v < network.nodes(); ++v) {
    for (Node node : rows.view().row(v))
      if (node != v) result.targets.push_back(node);
    if (itself == "always") result.targets.push_back(static_cast<Node>(v));
    result.offsets.push_back(static_cast<int64_t>(result.targets.size()));
  }
  return {std::move(result), {}};
}

Arcs reduction(const Network& network) {
  return {unlocked(network, [&] { return routines::networks::transitive_reduction(network.graph()); }), {}};
}

/// The arcs between the numbered groups of nodes, as they are met.
Arcs between_groups(const Network& network, const std::vector<Node>& group, int64_t groups) {
  std::vector<std::vector<Node>> rows(groups);
  const CsrView graph = network.graph();
  for (int64_t v = 0; v < network.nodes(); ++v)
    for (Node next : graph.row(v))
      if (group[v] != group[next]) rows[group[v]].push_back(group[next]);
  Arcs result;
  for (const auto& row : rows) {
    result.rows.targets.insert(result.rows.targets.end(), row.begin(), row.end());
    result.rows.offsets.push_back(static_cast<int64_t>(result.rows.targets.size()));
  }
  return result;
}

/// The edges that are in no truss, from the lower node, and the nodes without any.
nb::tuple outside_truss(const Network& network, int64_t k) {
  const CsrView simple = network.simple();
  const Csr kept = unlocked(network, [&] { return routines::networks::truss(simple, k); });
  std::vector<Node> lone;
  nb::list edges;
  for (int64_t v = 0; v < network.nodes(); ++v) {
    const auto row = kept.view().row(v);
    if (row.empty()) lone.push_back(static_cast<Node>(v));
    for (Node next : simple.row(v))
      if (next > v && !std::ranges::binary_search(row, next))
        checked(PyList_Append(edges.ptr(), label_pair(network, static_cast<Node>(v), next).get()));
  }
  return nb::make_tuple(edges, nb::steal(label_list(network, lone).release()));
}

/// The arcs between the chosen nodes, which are numbered as they come, and others that are two arcs away, whose labels
/// are returned, too: of graphs with two colours there are none.
nb::tuple projection(const Network& network, const std::vector<Node>& chosen, double divisor) {
  Arcs result;
  result.rows =
      unlocked(network, [&] { return routines::networks::projection(network.graph(), chosen, result.counts); });
  std::vector<Node> place(network.nodes(), routines::networks::no_node), others;
  for (size_t i = 0; i < chosen.size(); ++i) place[chosen[i]] = static_cast<Node>(i);
  for (Node& target : result.rows.targets) {
    if (place[target] == routines::networks::no_node) {
      place[target] = static_cast<Node>(chosen.size() + others.size());
      others.push_back(target);
    }
    target = place[target];
  }
  result.divisor = divisor;
  return nb::make_tuple(std::move(result), nb::steal(label_list(network, others).release()));
}

/// Weights of the arcs that can be compared; each is 1 where `weight` is None.
std::vector<double> comparable_weights(const Network& network, nb::handle weight) {
  if (weight.is_none()) return std::vector<double>(network.graph().arcs(), 1.0);
  const Column& column = network.column(weight.ptr());
  require<NotImplementedError>(!column.nan, "NaN as a weight has no order");
  return {column.least.begin(), column.least.end()};
}

/// Pairs of nodes of a spanning forest, the lightest edges first or the heaviest.
nb::list spanning_edges(const Network& network, nb::handle weight, bool heaviest) {
  const std::vector<double> lengths = comparable_weights(network, weight);
  const CsrView graph = network.graph();
  std::vector<Node> from, to;
  std::vector<double> weights;
  const std::vector<int64_t> chosen = unlocked(network, [&] {
    for (int64_t v = 0; v < network.nodes(); ++v) {
      for (int64_t a = graph.begin(v); a < graph.end(v); ++a) {
        if (graph.targets[a] <= v) continue;
        from.push_back(static_cast<Node>(v));
        to.push_back(graph.targets[a]);
        weights.push_back(heaviest ? -lengths[a] : lengths[a]);
      }
    }
    std::vector<int64_t> order(from.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int64_t edge) { return weights[edge]; });
    return routines::networks::spanning_edges(network.nodes(), from, to, order);
  });
  nb::list result;
  for (int64_t edge : chosen) checked(PyList_Append(result.ptr(), label_pair(network, from[edge], to[edge]).get()));
  return result;
}

/// The heaviest path of an acyclic graph from any node, where lengths do not sink below zero; None on a circle.
nb::object longest_path(const Network& network, nb::handle weight) {
  const std::vector<double> lengths = comparable_weights(network, weight);
  const auto layers = unlocked(network, [&] { return routines::networks::topological_layers(network.graph()); });
  if (static_cast<int64_t>(layers.order.size()) != network.nodes()) return nb::none();
  const CsrView back = network.back(), incoming = network.incoming();
  std::vector<double> length(network.nodes());
  std::vector<Node> before(network.nodes());
  // Of equally long ways NetworkX takes the first of its dictionaries.
  const auto earlier = [&](Node node, Node left, Node right) {
    const auto row = incoming.row(node);
    return std::ranges::find(row, left) < std::ranges::find(row, right);
  };
  for (Node node : layers.order) {
    before[node] = node;
    for (int64_t a = back.begin(node); a < back.end(node); ++a) {
      const Node from = back.targets[a];
      const double there = length[from] + lengths[network.back_arcs()[a]];
      const bool first = before[node] == node;
      if (!first && (there < length[node] || (there == length[node] && earlier(node, before[node], from)))) continue;
      length[node] = there;
      before[node] = from;
    }
    if (length[node] < 0) {
      length[node] = 0;
      before[node] = node;
    }
  }
  Node last = layers.order.empty() ? routines::networks::no_node : layers.order.front();
  for (Node node : layers.order)
    if (length[node] > length[last]) last = node;
  std::vector<Node> path;
  for (Node node = last; node != routines::networks::no_node;
       node = before[node] == node ? routines::networks::no_node : before[node])
    path.push_back(node);
  std::ranges::reverse(path);
  return nb::steal(label_list(network, path).release());
}

}  // namespace

void bind_derived(nb::module_& m) {
  nb::class_<Arcs>(m, "Arcs", "Arcs to be added to a graph's dictionaries.");
  m.def("add_arcs", &add_arcs, nb::arg("adjacency"), nb::arg("predecessors").none(), nb::arg("labels"), nb::arg("arcs"),
        nb::arg("multigraph") = false, nb::arg("attribute").none() = nb::none());
  m.def("complement", &complement);
  m.def("closure", &closure);
  m.def("reduction", &reduction);
  m.def("between_groups", &between_groups);
  m.def("outside_truss", &outside_truss);
  m.def("projection", &projection);
  m.def("spanning_edges", &spanning_edges, nb::arg(), nb::arg("weight").none(), nb::arg("heaviest"));
  m.def("longest_path", &longest_path, nb::arg(), nb::arg("weight").none());
}

}  // namespace tessera::bind::networks
