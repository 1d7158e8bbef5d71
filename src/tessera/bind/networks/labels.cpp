#include "tessera/routines/networks/labels.h"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tessera/base/error.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/python_random.h"
#include "tessera/bind/networks/results.h"

namespace tessera::bind::networks {

namespace {

/// The sets of nodes of equal labels, by the first node of each.
nb::list groups(const Network& network, std::span<const Node> labels) {
  std::vector<PyObject*> parts(network.nodes());  // borrowed from the list
  nb::list result;
  for (int64_t v = 0; v < network.nodes(); ++v) {
    PyObject*& part = parts[labels[v]];
    if (!part) {
      const Object fresh = owned(PySet_New(nullptr));
      checked(PyList_Append(result.ptr(), fresh.get()));
      part = fresh.get();
    }
    checked(PySet_Add(part, network.label(v)));
  }
  return result;
}

/// By decreasing degree; of equal degree by number.
std::vector<Node> largest_first(const Network& network, const std::vector<int64_t>& degrees) {
  std::vector<Node> order(network.nodes());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](Node node) { return degrees[node]; });
  return order;
}

nb::list label_propagation(const Network& network, const std::vector<int64_t>& degrees) {
  bool interrupted = false;
  const auto go_on = [&] {
    const WithGil held;
    interrupted = PyErr_CheckSignals() != 0;
    return !interrupted;
  };
  const std::vector<Node> labels = unlocked(network, [&] {
    const auto colours = routines::networks::greedy_colours(network.graph(), largest_first(network, degrees));
    return routines::networks::propagate_labels(network.graph(), colours, go_on);
  });
  checked(interrupted ? -1 : 0);
  return groups(network, labels);
}

/// {node: colour}, coloured with the largest degree first, in that order.
nb::object greedy_colouring(const Network& network, const std::vector<int64_t>& degrees) {
  const auto order = largest_first(network, degrees);
  const auto colours = unlocked(network, [&] { return routines::networks::greedy_colours(network.graph(), order); });
  return dictionary_of(network, order, [&](size_t i) { return PyLong_FromLong(colours[order[i]]); });
}

/// Labels that spread one node at a time, with the numbers that `generator` would draw; `fast` visits only neighbours
/// of what changed.
nb::list asynchronous_labels(const Network& network, nb::handle weight, nb::handle generator, bool fast) {
  require<NotImplementedError>(PythonRandom::can_draw_from(generator.ptr()),
                               "seed= is a generator that is not Python's own random.Random");
  std::span<const double> weights;
  if (!weight.is_none()) {
    const Column& column = network.column(weight.ptr());
    require<NotImplementedError>(!column.nan && !column.negative, "weights that are NaN or negative");
    weights = column.least;
  }
  PythonRandom random(generator.ptr());
  routines::networks::LabelSpread spread(network.graph(), weights);
  const routines::networks::Draw draw = [&](uint32_t n) { return random.below(n); };
  std::vector<Node> order(network.nodes());
  for (bool changed = true; changed;) {
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(order);
    changed = unlocked(network, [&] {
      if (!fast) return spread.visit(order, draw);
      spread.visit_changed(order, draw);
      return false;
    });
    checked(PyErr_CheckSignals());
  }
  random.give_back();
  return groups(network, spread.labels());
}

}  // namespace

void bind_labels(nb::module_& m) {
  m.def("label_propagation", &label_propagation);
  m.def("greedy_colouring", &greedy_colouring);
  m.def("asynchronous_labels", &asynchronous_labels, nb::arg(), nb::arg("weight").none(), nb::arg("generator"),
        nb::arg("fast"));
}

}  // namespace tessera::bind::networks
