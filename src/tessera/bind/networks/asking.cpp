// What NetworkX asks at every call, answered without Python where the name and the number of nodes are enough.
#include "tessera/base/error.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/results.h"

namespace tessera::bind::networks {

namespace {

/// What the answers need, as a tuple.
enum State {
  native_names,
  fewest_nodes,
  plain_classes,
  settings,
  no_form,
  few_nodes,
  can_run_else,
  should_run_else,
  state_size
};

PyObject* item(PyObject* state, State which) { return PyTuple_GET_ITEM(state, which); }

PyObject* first_of(PyObject* arguments) {
  return PyTuple_CheckExact(arguments) && PyTuple_GET_SIZE(arguments) > 0 ? PyTuple_GET_ITEM(arguments, 0) : nullptr;
}

PyObject* asked_else(PyObject* function, PyObject* const* arguments, Py_ssize_t count) {
  return PyObject_Vectorcall(function, arguments, static_cast<size_t>(count), nullptr);
}

bool is_always(PyObject* settings) {
  static constinit Interned name{"always"};
  const Object value(PyObject_GetAttr(settings, name));
  if (!value) PyErr_Clear();
  return !value || value.get() != Py_False;
}

/// True for a native function that refuses nothing; the reason for others with a graph of NetworkX's own classes.
PyObject* can_run(PyObject* state, PyObject* const* arguments, Py_ssize_t count) {
  if (count == 3) {
    PyObject* refuses = PyDict_GetItemWithError(item(state, native_names), arguments[0]);
    if (refuses == Py_False) return Py_NewRef(Py_True);
    PyObject* graph = first_of(arguments[1]);
    if (!refuses && graph && PyTuple_GET_SIZE(arguments[1]) == 1 &&
        PySequence_Contains(item(state, plain_classes), reinterpret_cast<PyObject*>(Py_TYPE(graph))) == 1)
      return Py_NewRef(item(state, no_form));
    PyErr_Clear();
  }
  return asked_else(item(state, can_run_else), arguments, count);
}

/// The reason for graphs of fewer nodes than ever repay a call of the function.
PyObject* should_run(PyObject* state, PyObject* const* arguments, Py_ssize_t count) {
  static constinit Interned name{"_adj"};
  if (PyObject* graph = count == 3 ? first_of(arguments[1]) : nullptr) {
    PyObject* fewest = PyDict_GetItemWithError(item(state, fewest_nodes), arguments[0]);
    if (fewest && PySequence_Contains(item(state, plain_classes), reinterpret_cast<PyObject*>(Py_TYPE(graph))) == 1) {
      const Object rows(PyObject_GetAttr(graph, name));
      if (rows && PyDict_CheckExact(rows.get()) && PyDict_GET_SIZE(rows.get()) < PyLong_AsSsize_t(fewest) &&
          !is_always(item(state, settings)))
        return Py_NewRef(item(state, few_nodes));
    }
    PyErr_Clear();
  }
  return asked_else(item(state, should_run_else), arguments, count);
}

PyMethodDef can_run_method{"can_run", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(can_run)), METH_FASTCALL,
                           "True, or why the call runs in NetworkX."};
PyMethodDef should_run_method{"should_run", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(should_run)),
                              METH_FASTCALL, "True, or why NetworkX is likely to be quicker."};

nb::tuple answers(nb::tuple state) {
  require<ValueError>(state.size() == state_size, "the state of the answers has {} values", state_size + 0);
  return nb::make_tuple(nb::steal(checked(PyCFunction_New(&can_run_method, state.ptr()))),
                        nb::steal(checked(PyCFunction_New(&should_run_method, state.ptr()))));
}

}  // namespace

void bind_asking(nb::module_& m) {
  m.def("answers", &answers,
        "(can_run, should_run) of a backend, from (whether native functions refuse, fewest nodes, NetworkX's classes, "
        "settings, two reasons, what answers all else).");
}

}  // namespace tessera::bind::networks
