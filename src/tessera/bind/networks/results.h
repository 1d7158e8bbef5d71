/// Results in NetworkX's forms: dictionaries in the order of nodes, lists, sets and pairs of labels.
#pragma once

#include <Python.h>

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/networks/network.h"

namespace tessera::bind::networks {

namespace nb = nanobind;

inline PyObject* to_python(double value) { return PyFloat_FromDouble(value); }
inline PyObject* to_python(int64_t value) { return PyLong_FromLongLong(value); }

/// An empty dictionary with room for `size` entries.
Object new_dictionary(int64_t size);

/// {label of node: make(i)} for the i-th of `nodes`; make returns new references.
template <class Make>
nb::object dictionary_of(const Network& network, std::span<const Node> nodes, Make make) {
  Object result = new_dictionary(static_cast<int64_t>(nodes.size()));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Object value = owned(make(i));
    checked(PyDict_SetItem(result.get(), network.label(nodes[i]), value.get()));
  }
  return nb::steal(result.release());
}

/// The same for all nodes.
template <class Make>
nb::object dictionary_of_all(const Network& network, Make make) {
  Object result = new_dictionary(network.nodes());
  for (int64_t v = 0; v < network.nodes(); ++v) {
    const Object value = owned(make(v));
    checked(PyDict_SetItem(result.get(), network.label(v), value.get()));
  }
  return nb::steal(result.release());
}

template <class Number>
nb::object numbers_of_all(const Network& network, const std::vector<Number>& values) {
  return dictionary_of_all(network, [&](int64_t v) { return to_python(values[v]); });
}

/// New references.
Object label_list(const Network& network, std::span<const Node> nodes);
Object label_set(const Network& network, std::span<const Node> nodes);
Object label_pair(const Network& network, Node first, Node second);

/// The numbers of labels in any iterable; NetworkX's caller says what is raised for -1.
std::vector<Node> numbers_of(const Network& network, nb::handle labels);

/// One number a node out of a list of floats in the order of nodes.
std::vector<double> values_of(nb::handle list);

/// How long this thread's algorithms took so far.
double algorithm_seconds();

/// Adds its life to algorithm_seconds().
class AlgorithmTimer {
 public:
  AlgorithmTimer();
  ~AlgorithmTimer();
  AlgorithmTimer(const AlgorithmTimer&) = delete;
  AlgorithmTimer& operator=(const AlgorithmTimer&) = delete;

 private:
  std::chrono::steady_clock::time_point begin_;
};

/// Runs without the interpreter's lock where the graph is not small.
template <class Body>
auto unlocked(const Network& network, Body body) {
  const AlgorithmTimer timer;
  if (network.graph().arcs() + network.nodes() < 4096) return body();
  const WithoutGil released;
  return body();
}

}  // namespace tessera::bind::networks
