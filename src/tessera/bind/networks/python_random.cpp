#include "tessera/bind/networks/python_random.h"

#include <nanobind/stl/vector.h>

#include <bit>
#include <numeric>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/networks/results.h"

namespace tessera::bind::networks {

bool PythonRandom::can_draw_from(PyObject* generator) {
  const Object kind(import_attribute("random", "Random"));
  return reinterpret_cast<PyObject*>(Py_TYPE(generator)) == kind.get();
}

PythonRandom::PythonRandom(PyObject* generator) : generator_(Object::borrowed(generator)) {
  state_ = owned(PyObject_CallMethod(generator, "getstate", nullptr));
  PyObject* words = PyTuple_GetItem(state_.get(), 1);
  checked(words ? 0 : -1);
  std::vector<uint64_t> state(library::Mt19937::size + 1);
  require<RuntimeError>(PyTuple_Check(words) && PyTuple_GET_SIZE(words) == static_cast<Py_ssize_t>(state.size()),
                        "the state of random.Random is not that of a Mersenne twister");
  for (size_t i = 0; i < state.size(); ++i)
    state[i] = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(words, static_cast<Py_ssize_t>(i)));
  checked(PyErr_Occurred() ? -1 : 0);
  twister_.set_state(state);
}

void PythonRandom::give_back() {
  const std::vector<uint64_t> state = twister_.state();
  const Object words = owned(PyTuple_New(static_cast<Py_ssize_t>(state.size())));
  for (size_t i = 0; i < state.size(); ++i)
    PyTuple_SET_ITEM(words.get(), static_cast<Py_ssize_t>(i), checked(PyLong_FromUnsignedLongLong(state[i])));
  const Object whole =
      owned(PyTuple_Pack(3, PyTuple_GET_ITEM(state_.get(), 0), words.get(), PyTuple_GET_ITEM(state_.get(), 2)));
  owned(PyObject_CallMethod(generator_.get(), "setstate", "(O)", whole.get()));
}

uint32_t PythonRandom::below(uint32_t n) {
  const int bits = std::bit_width(n);
  for (;;) {
    const uint32_t drawn = twister_.next32() >> (32 - bits);
    if (drawn < n) return drawn;
  }
}

void PythonRandom::shuffle(std::vector<routines::networks::Node>& nodes) {
  for (size_t i = nodes.size(); i-- > 1;) std::swap(nodes[i], nodes[below(static_cast<uint32_t>(i + 1))]);
}

std::vector<routines::networks::Node> shuffled_nodes(PyObject* generator, int64_t nodes) {
  std::vector<routines::networks::Node> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  if (PythonRandom::can_draw_from(generator)) {
    PythonRandom random(generator);
    random.shuffle(order);
    random.give_back();
    return order;
  }
  const nb::object list = nb::cast(order);
  owned(PyObject_CallMethod(generator, "shuffle", "O", list.ptr()));
  return nb::cast<std::vector<routines::networks::Node>>(list);
}

}  // namespace tessera::bind::networks
