#include "tessera/bind/networks/results.h"

#include <dlfcn.h>

namespace tessera::bind::networks {

namespace {

thread_local double spent = 0;

}  // namespace

double algorithm_seconds() { return spent; }

AlgorithmTimer::AlgorithmTimer() : begin_(std::chrono::steady_clock::now()) {}
AlgorithmTimer::~AlgorithmTimer() {
  spent += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

Object new_dictionary(int64_t size) {
  using Presized = PyObject* (*)(Py_ssize_t);
  // Not part of Python's stable interface: where a version lacks it, dictionaries grow.
  static const auto presized = reinterpret_cast<Presized>(dlsym(RTLD_DEFAULT, "_PyDict_NewPresized"));
  return owned(presized ? presized(size) : PyDict_New());
}

Object label_list(const Network& network, std::span<const Node> nodes) {
  Object result = owned(PyList_New(static_cast<Py_ssize_t>(nodes.size())));
  for (size_t i = 0; i < nodes.size(); ++i)
    PyList_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i), Py_NewRef(network.label(nodes[i])));
  return result;
}

Object label_set(const Network& network, std::span<const Node> nodes) {
  Object result = owned(PySet_New(nullptr));
  for (Node node : nodes) checked(PySet_Add(result.get(), network.label(node)));
  return result;
}

Object label_pair(const Network& network, Node first, Node second) {
  return owned(PyTuple_Pack(2, network.label(first), network.label(second)));
}

std::vector<Node> numbers_of(const Network& network, nb::handle labels) {
  std::vector<Node> result;
  for (nb::handle label : labels) result.push_back(static_cast<Node>(network.index_of(label.ptr())));
  return result;
}

std::vector<double> values_of(nb::handle list) {
  std::vector<double> result;
  for (nb::handle value : list) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred()) throw ErrorAlreadySet();
    result.push_back(number);
  }
  return result;
}

}  // namespace tessera::bind::networks
