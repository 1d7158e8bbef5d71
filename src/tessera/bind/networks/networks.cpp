// The module tessera._core.networks: converted graphs and what is computed on them.
#include <nanobind/stl/unique_ptr.h>

#include "tessera/bind/bindings.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/results.h"

namespace tessera::bind {

namespace {

using networks::Network;

nanobind::object column_kind(const Network& network, nanobind::handle name) {
  const networks::Column* column = network.find_column(name.ptr());
  if (!column) return nanobind::none();
  if (!column->problem.empty()) return nanobind::str(column->problem.c_str());
  return nanobind::str(column->floats ? "floats" : column->booleans ? "booleans" : "integers");
}

nanobind::object degrees(const Network& network, bool in) {
  std::vector<int64_t> result(network.nodes());
  const auto graph = network.graph();
  const auto multiplicity = network.multiplicity();
  for (int64_t v = 0; v < network.nodes(); ++v) {
    for (int64_t a = graph.begin(v); a < graph.end(v); ++a) {
      const int64_t count = multiplicity.empty() ? 1 : multiplicity[a];
      result[in ? graph.targets[a] : v] += count;
      if (!network.directed() && graph.targets[a] == v) result[v] += count;
    }
  }
  nanobind::list list;
  for (int64_t degree : result) list.append(degree);
  return list;
}

int visit_network(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nanobind::inst_ready(self) ? nanobind::inst_ptr<Network>(self)->traverse(visit, arg) : 0;
}

int clear_network(PyObject* self) {
  nanobind::inst_ptr<Network>(self)->clear();
  return 0;
}

PyType_Slot slots_of_networks[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_network)},
                                   {Py_tp_clear, reinterpret_cast<void*>(clear_network)},
                                   {0, nullptr}};

}  // namespace

void bind_networks(nanobind::module_& m) {
  namespace nb = nanobind;
  nb::module_ module = m.def_submodule("networks", "Graphs as columns, for the NetworkX backend.");
  nb::class_<Network>(module, "Network", nb::type_slots(slots_of_networks))
      .def("__len__", &Network::nodes)
      .def_prop_ro("edges", &Network::edges, "How many edges, parallel ones each.")
      .def_prop_ro("loops", &Network::loops, "How many of the edges are loops.")
      .def_prop_ro("directed", &Network::directed)
      .def_prop_ro("multigraph", &Network::multigraph)
      .def_prop_ro("labels", [](const Network& network) { return nb::borrow(network.labels()); })
      .def(
          "index_of", [](const Network& network, nb::handle label) { return network.index_of(label.ptr()); },
          nb::arg("label").none())
      .def_prop_ro("has_predecessors", &Network::has_predecessors)
      .def("read_predecessors", [](Network& network, nb::handle rows) { network.read_predecessors(rows.ptr()); })
      .def("column_kind", &column_kind, nb::arg("name").none(),
           "'floats', 'integers', 'booleans', why it cannot be used, or None.")
      .def("degrees", &degrees, nb::arg("incoming") = false,
           "Outgoing or incoming edges of each node; loops count twice if undirected.");
  module.def(
      "convert",
      [](nb::handle adjacency, bool directed, bool multigraph, nb::handle attributes) {
        return networks::convert(adjacency.ptr(), directed, multigraph, attributes.ptr());
      },
      nb::arg("adjacency"), nb::arg("directed"), nb::arg("multigraph"), nb::arg("attributes").none());
  module.def("algorithm_seconds", &networks::algorithm_seconds, "How long this thread's algorithms took so far.");
  networks::bind_traversal(module);
  networks::bind_components(module);
  networks::bind_paths(module);
  networks::bind_ranks(module);
  networks::bind_structure(module);
  networks::bind_communities(module);
  networks::bind_labels(module);
  networks::bind_edges(module);
  networks::bind_asking(module);
  networks::bind_derived(module);
}

}  // namespace tessera::bind
