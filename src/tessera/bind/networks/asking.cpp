// What NetworkX asks at every call, answered without Python where the name and the number of nodes are enough.
#include "tessera/base/error.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/results.h"

namespace tessera::bind::networks {

namespace {

/// What the answers need, as a tuple. `native_names` has for each function what it may refuse (see refusal), `works`
/// its Work, a parameter with which it computes for some nodes alone and its place, and whether it may be for one path.
enum State {
  native_names,
  works,
  path_work,
  plain_classes,
  settings,
  no_form,
  reasons,
  can_run_else,
  should_run_else,
  state_size
};

/// Of a call's arguments; borrowed, null where it is not given or None.
PyObject* argument(PyObject* arguments, PyObject* keywords, Py_ssize_t position, PyObject* name) {
  PyObject* found = position < PyTuple_GET_SIZE(arguments) ? PyTuple_GET_ITEM(arguments, position)
                                                           : PyDict_GetItemWithError(keywords, name);
  return found == Py_None ? nullptr : found;
}

PyObject* item(PyObject* state, State which) { return PyTuple_GET_ITEM(state, which); }

PyObject* first_of(PyObject* arguments) {
  return PyTuple_CheckExact(arguments) && PyTuple_GET_SIZE(arguments) > 0 ? PyTuple_GET_ITEM(arguments, 0) : nullptr;
}

bool is_plain(PyObject* state, PyObject* graph) {
  return PySequence_Contains(item(state, plain_classes), reinterpret_cast<PyObject*>(Py_TYPE(graph))) == 1;
}

/// Why the function refuses the call, None where it does not, and null where that takes more than looking: `refusals`
/// are False, or the classes that are not refused, or None, and for each argument its name and place, whether functions
/// alone are refused, or None where more must be asked, and the reason.
PyObject* refusal(PyObject* refusals, PyObject* arguments, PyObject* keywords) {
  if (refusals == Py_False) return Py_None;
  PyObject *classes = PyTuple_GET_ITEM(refusals, 0), *graph = first_of(arguments);
  if (!graph) return nullptr;
  if (classes != Py_None && PySet_Contains(classes, reinterpret_cast<PyObject*>(Py_TYPE(graph))) != 1) return nullptr;
  for (Py_ssize_t k = 1; k < PyTuple_GET_SIZE(refusals); ++k) {
    PyObject *each = PyTuple_GET_ITEM(refusals, k), *functions = PyTuple_GET_ITEM(each, 2);
    PyObject* given =
        argument(arguments, keywords, PyLong_AsSsize_t(PyTuple_GET_ITEM(each, 1)), PyTuple_GET_ITEM(each, 0));
    if (!given || (functions == Py_True && !PyCallable_Check(given))) continue;
    return functions == Py_None ? nullptr : PyTuple_GET_ITEM(each, 3);
  }
  return Py_None;
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

/// True, or the reason, for native functions, and for others with a graph of NetworkX's own classes.
PyObject* can_run(PyObject* state, PyObject* const* arguments, Py_ssize_t count) {
  if (count == 3) {
    PyObject* refusals = PyDict_GetItemWithError(item(state, native_names), arguments[0]);
    PyObject* reason = refusals ? refusal(refusals, arguments[1], arguments[2]) : nullptr;
    if (reason == Py_None) return Py_NewRef(Py_True);
    PyObject* graph = first_of(arguments[1]);
    if (reason && graph && is_plain(state, graph)) return Py_NewRef(reason);
    if (!refusals && graph && PyTuple_GET_SIZE(arguments[1]) == 1 && is_plain(state, graph))
      return Py_NewRef(item(state, no_form));
    PyErr_Clear();
  }
  return asked_else(item(state, can_run_else), arguments, count);
}

/// How NetworkX's time grows; the names are in costs.py.
enum class Steps { size, size_in_caches, searches, pairs };

/// NetworkX's microseconds for a graph of so many nodes and nodes and arcs together.
double likely_time(PyObject* work, double nodes, double size, bool few) {
  // Beyond this size graphs are not in the processor's caches, and each step takes longer by the factor.
  constexpr double in_caches = 10'000, beyond = 4;
  double steps = size;
  switch (static_cast<Steps>(PyLong_AsLong(PyTuple_GET_ITEM(work, 1)))) {
    case Steps::size: break;
    case Steps::size_in_caches: steps = few || size < in_caches ? size : beyond * size; break;
    case Steps::searches: steps = few ? size : nodes * size; break;
    case Steps::pairs: steps = few ? size : nodes * nodes; break;
  }
  const double fixed = few ? 0.0 : PyFloat_AsDouble(PyTuple_GET_ITEM(work, 2));
  return fixed + PyFloat_AsDouble(PyTuple_GET_ITEM(work, 0)) * steps;
}

/// The number of nodes, and of nodes and arcs together as the first rows let expect it.
std::pair<double, double> size_of(PyObject* rows) {
  constexpr int looked_at = 8;
  double arcs = 0;
  if (PyDict_CheckExact(rows)) {
    const auto nodes = static_cast<double>(PyDict_GET_SIZE(rows));
    Py_ssize_t position = 0;
    PyObject* row;
    for (int k = 0; k < looked_at && PyDict_Next(rows, &position, nullptr, &row); ++k)
      arcs +=
          PyDict_CheckExact(row) ? static_cast<double>(PyDict_GET_SIZE(row)) : static_cast<double>(PyObject_Size(row));
    return {nodes, nodes + arcs * nodes / looked_at};
  }
  const auto nodes = static_cast<double>(PyObject_Size(rows));
  const Object values = owned(PyObject_CallMethod(rows, "values", nullptr)),
               all = owned(PyObject_GetIter(values.get()));
  for (int k = 0; k < looked_at; ++k) {
    const Object row(PyIter_Next(all.get()));
    if (!row) break;
    arcs += static_cast<double>(PyObject_Size(row.get()));
  }
  if (PyErr_Occurred()) throw ErrorAlreadySet();
  return {nodes, nodes + arcs * nodes / looked_at};
}

bool is_converted(PyObject* graph) {
  static constinit Interned name{"__networkx_cache__"}, backends{"backends"}, tessera{"tessera"};
  const Object cache(PyObject_GetAttr(graph, name));
  if (!cache) PyErr_Clear();
  if (!cache || !PyDict_Check(cache.get())) return false;
  PyObject* kept = PyDict_GetItemWithError(cache.get(), backends);
  return kept && PyDict_Check(kept) && PyDict_Contains(kept, tessera) == 1;
}

/// Why NetworkX is likely to be quicker: an element of `reasons`, which are few nodes, little work, little work beside
/// the conversion, and after them what a call and the conversion of a node or arc take. Null where it is not.
PyObject* hesitation(PyObject* work, PyObject* graph, bool few, PyObject* reasons) {
  static constinit Interned name{"_adj"};
  const Object rows = owned(PyObject_GetAttr(graph, name));
  if (PyDict_CheckExact(rows.get()) && PyDict_GET_SIZE(rows.get()) < PyLong_AsSsize_t(PyTuple_GET_ITEM(work, 3)))
    return PyTuple_GET_ITEM(reasons, 0);
  const double call = PyFloat_AsDouble(PyTuple_GET_ITEM(reasons, 3)),
               each = PyFloat_AsDouble(PyTuple_GET_ITEM(reasons, 4));
  const auto [nodes, size] = size_of(rows.get());
  const double time = likely_time(work, nodes, size, few);
  if (time < call) return PyTuple_GET_ITEM(reasons, 1);
  if (time > call + each * size || is_converted(graph)) return nullptr;
  return PyTuple_GET_ITEM(reasons, 2);
}

bool is_one_path(PyObject* arguments, PyObject* keywords) {
  static constinit Interned source{"source"}, target{"target"}, weight{"weight"};
  return argument(arguments, keywords, 1, source) && argument(arguments, keywords, 2, target) &&
         !argument(arguments, keywords, 3, weight);
}

/// True, or the reason, for graphs of NetworkX's own classes.
PyObject* should_run(PyObject* state, PyObject* const* arguments, Py_ssize_t count) {
  if (PyObject* graph = count == 3 ? first_of(arguments[1]) : nullptr) {
    PyObject* asked = PyDict_GetItemWithError(item(state, works), arguments[0]);
    if (asked && is_plain(state, graph)) {
      PyObject *work = PyTuple_GET_ITEM(asked, 0), *some = PyTuple_GET_ITEM(asked, 1);
      if (PyTuple_GET_ITEM(asked, 3) == Py_True && is_one_path(arguments[1], arguments[2]))
        work = item(state, path_work);
      const bool few =
          some != Py_None && argument(arguments[1], arguments[2], PyLong_AsSsize_t(PyTuple_GET_ITEM(asked, 2)), some);
      PyObject* found = hesitation(work, graph, few, item(state, reasons));
      return Py_NewRef(found && !is_always(item(state, settings)) ? found : Py_True);
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
  m.def("answers", &answers, "(can_run, should_run) of a backend.");
  m.def(
      "hesitation",
      [](nb::handle work, nb::handle graph, bool few, nb::handle reasons) {
        PyObject* found = hesitation(work.ptr(), graph.ptr(), few, reasons.ptr());
        return found ? nb::borrow(found) : nb::none();
      },
      nb::arg("work"), nb::arg("graph"), nb::arg("few"), nb::arg("reasons"),
      "Why NetworkX is likely to be quicker, one of the reasons, or None.");
  m.def(
      "likely_time",
      [](nb::handle work, double nodes, double size) { return likely_time(work.ptr(), nodes, size, false); },
      "NetworkX's microseconds for a graph of so many nodes, and nodes and arcs together.");
}

}  // namespace tessera::bind::networks
