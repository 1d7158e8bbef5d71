#include "tessera/routines/networks/components.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tessera/bind/networks/array_calls.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/results.h"
#include "tessera/bind/networks/walked_components.h"

namespace tessera::bind::networks {

namespace {

using routines::networks::Components;

Components components_of(const Network& network, bool strong) {
  if (!strong && ArrayCall::is_worthwhile(network))
    return routines::networks::components_by_label(ArrayCall(network)
                                                       .rows(RowsOf::graph)
                                                       .rows(network.directed() ? RowsOf::back : RowsOf::graph)
                                                       .run("component_labels", {network.directed()})
                                                       .result<int64_t>(0));
  return unlocked(network, [&] {
    return strong ? routines::networks::strong_components(network.graph())
                  : routines::networks::connected_components(network.graph(),
                                                             network.directed() ? network.back() : CsrView{});
  });
}

/// Sets of nodes.
nb::list components(const Network& network, bool strong) {
  const Components found = components_of(network, strong);
  nb::list result;
  for (int64_t c = 0; c < found.count(); ++c) {
    const auto nodes = std::span(found.nodes).subspan(found.begins[c], found.begins[c + 1] - found.begins[c]);
    checked(PyList_Append(result.ptr(), label_set(network, nodes).get()));
  }
  return result;
}

/// The same of dictionaries that need no conversion for that; None where they do, or a device was chosen.
nb::object walked(nb::handle adjacency) {
  if (ArrayCall::is_wanted()) return nb::none();
  const auto found = walk_components(adjacency.ptr());
  if (!found) return nb::none();
  const auto& [nodes, begins] = found->components;
  nb::list result;
  for (int64_t c = 0; c < found->components.count(); ++c) {
    const Object set = owned(PySet_New(nullptr));
    for (int64_t i = begins[c]; i < begins[c + 1]; ++i)
      checked(PySet_Add(set.get(), PyList_GET_ITEM(found->labels.get(), nodes[i])));
    checked(PyList_Append(result.ptr(), set.get()));
  }
  return result;
}

nb::object count_walked(nb::handle adjacency) {
  if (ArrayCall::is_wanted()) return nb::none();
  const auto found = walk_components(adjacency.ptr());
  return found ? nb::object(nb::int_(found->components.count())) : nb::none();
}

int64_t count_components(const Network& network, bool strong) { return components_of(network, strong).count(); }

/// How many nodes the first component has.
int64_t first_component(const Network& network, bool strong) {
  const Components found = components_of(network, strong);
  return found.count() == 0 ? 0 : found.begins[1];
}

/// Strong components that no arc leaves, as sets.
nb::list attracting(const Network& network) {
  const Components found = components_of(network, true);
  std::vector<int64_t> component(network.nodes());
  for (int64_t c = 0; c < found.count(); ++c)
    for (int64_t i = found.begins[c]; i < found.begins[c + 1]; ++i) component[found.nodes[i]] = c;
  nb::list result;
  for (int64_t c = 0; c < found.count(); ++c) {
    const auto nodes = std::span(found.nodes).subspan(found.begins[c], found.begins[c + 1] - found.begins[c]);
    const bool stays = std::ranges::all_of(nodes, [&](Node node) {
      return std::ranges::all_of(network.graph().row(node), [&](Node next) { return component[next] == c; });
    });
    if (stays) checked(PyList_Append(result.ptr(), label_set(network, nodes).get()));
  }
  return result;
}

nb::list bridges(const Network& network, const routines::networks::Biconnected& found) {
  auto sorted = found.bridges;
  for (auto& [from, to] : sorted)
    if (from > to) std::swap(from, to);
  std::ranges::sort(sorted);
  const CsrView graph = network.graph();
  nb::list result;
  for (int64_t v = 0; v < network.nodes(); ++v) {
    for (int64_t a = graph.begin(v); a < graph.end(v); ++a) {
      const Node u = graph.targets[a];
      if (u <= v || (!network.multiplicity().empty() && network.multiplicity()[a] > 1)) continue;
      if (std::ranges::binary_search(sorted, std::pair{static_cast<Node>(v), u}))
        checked(PyList_Append(result.ptr(), label_pair(network, static_cast<Node>(v), u).get()));
    }
  }
  return result;
}

/// "sets" or "edges" of biconnected components, "articulations", or "bridges".
nb::list biconnected(const Network& network, const char* form) {
  const auto found = unlocked(network, [&] { return routines::networks::biconnected_components(network.graph()); });
  const std::string_view wanted = form;
  if (wanted == "bridges") return bridges(network, found);
  nb::list result;
  if (wanted == "articulations") {
    std::vector<uint8_t> seen(network.nodes());
    for (Node node : found.articulations)
      if (!seen[node]++) checked(PyList_Append(result.ptr(), network.label(node)));
    return result;
  }
  for (size_t c = 0; c + 1 < found.begins.size(); ++c) {
    Object component = owned(wanted == "sets" ? PySet_New(nullptr) : PyList_New(0));
    for (int64_t e = found.begins[c]; e < found.begins[c + 1]; ++e) {
      if (wanted == "sets") {
        checked(PySet_Add(component.get(), network.label(found.from[e])));
        checked(PySet_Add(component.get(), network.label(found.to[e])));
      } else {
        checked(PyList_Append(component.get(), label_pair(network, found.from[e], found.to[e]).get()));
      }
    }
    checked(PyList_Append(result.ptr(), component.get()));
  }
  return result;
}

}  // namespace

void bind_components(nb::module_& m) {
  m.def("components", &components, nb::arg(), nb::arg("strong") = false);
  m.def("walked_components", &walked);
  m.def("count_walked_components", &count_walked);
  m.def("count_components", &count_components, nb::arg(), nb::arg("strong") = false);
  m.def("first_component", &first_component, nb::arg(), nb::arg("strong") = false);
  m.def("attracting", &attracting);
  m.def("biconnected", &biconnected, nb::arg(), nb::arg("form"));
}

}  // namespace tessera::bind::networks
