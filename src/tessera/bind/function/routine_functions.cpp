// Functions of the table of routines, made from their descriptors.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/host/host_call.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

const char* checked_text(PyObject* text) {
  const char* utf8 = PyUnicode_AsUTF8(text);
  if (!utf8) throw nb::python_error();
  return utf8;
}

double to_real(PyObject* object) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

bool to_boolean(PyObject* object) {
  const int value = PyObject_IsTrue(object);
  if (value < 0) throw nb::python_error();
  return value != 0;
}

/// Calls body for each item of a sequence.
template <class Body>
void each_item(PyObject* sequence, Body&& body) {
  const Object items = owned(PySequence_Fast(sequence, "a sequence is needed"));
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.get()); ++k) body(PySequence_Fast_GET_ITEM(items.get(), k));
}

/// The operands and arguments of a call; `given` is null for parameters that were left out.
struct Given {
  std::vector<Array> operands;
  ops::Arguments arguments;
  void add(const ops::Parameter& parameter, PyObject* given);
};

void Given::add(const ops::Parameter& parameter, PyObject* given) {
  switch (parameter.kind) {
    case ops::ParameterKind::array: return operands.push_back(needed_array(given));
    case ops::ParameterKind::arrays:
      return each_item(given, [&](PyObject* item) { operands.push_back(needed_array(item)); });
    case ops::ParameterKind::integers: return each_item(given, [&](PyObject* item) { arguments.add(to_int(item)); });
    case ops::ParameterKind::integer:
      return arguments.add(given ? to_int(given) : static_cast<int64_t>(*parameter.otherwise));
    case ops::ParameterKind::boolean: return arguments.add(given ? to_boolean(given) : *parameter.otherwise != 0);
    case ops::ParameterKind::real: return arguments.add(given ? to_real(given) : *parameter.otherwise);
  }
}

/// call_routine(name, *arguments, **keywords): the results of the routine, as its parameters say.
PyObject* call_routine(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&]() -> PyObject* {
    require<TypeError>(nargs > 0 && PyUnicode_Check(args[0]), "call_routine: the first argument is the routine's name");
    const ops::Routine& routine = Engine::routine(checked_text(args[0]));
    const std::string function(routine.name);
    require<ValueError>(!routine.writes_first, "{} writes an operand in place: call NumPy's function for it", function);
    Arguments given(function.c_str(), args + 1, nargs - 1, names);
    Given all;
    int k = 0;
    for (const ops::Parameter& parameter : routine.parameters) {
      const std::string name(parameter.name);
      all.add(parameter, parameter.otherwise ? given.at(k, name.c_str()) : given.needed(k, name.c_str()));
      ++k;
    }
    given.finish(k);
    std::vector<Array> results = Engine::instance().call(routine, all.operands, all.arguments, current_context());
    if (results.size() == 1) return wrap_result(std::move(results[0]));
    Object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
    for (size_t i = 0; i < results.size(); ++i)
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), checked(wrap_result(std::move(results[i]))));
    return tuple.release();
  });
}

/// The parameters as Python writes them: "m, k=0".
std::string signature_text(const ops::Routine& routine) {
  std::string text;
  for (const ops::Parameter& parameter : routine.parameters) {
    text += format("{}{}", text.empty() ? "" : ", ", parameter.name);
    if (!parameter.otherwise) continue;
    switch (parameter.kind) {
      case ops::ParameterKind::boolean: text += *parameter.otherwise != 0 ? "=True" : "=False"; break;
      case ops::ParameterKind::real: text += format("={}", *parameter.otherwise); break;
      case ops::ParameterKind::integer:
      case ops::ParameterKind::integers:
      case ops::ParameterKind::array:
      case ops::ParameterKind::arrays: text += format("={}", static_cast<int64_t>(*parameter.otherwise)); break;
    }
  }
  return text;
}

}  // namespace

void bind_routine_functions(nb::module_& m) {
  static PyMethodDef methods[] = {host_method("call_routine", call_routine, "The results of a routine of the table."),
                                  {nullptr, nullptr, 0, nullptr}};
  if (PyModule_AddFunctions(m.ptr(), methods) < 0) throw nb::python_error();
  m.def("routines", [] {
    nb::list all;
    for (const ops::Routine* routine : Engine::routines())
      if (!routine->writes_first)
        all.append(nb::make_tuple(std::string(routine->name), signature_text(*routine), std::string(routine->doc)));
    return all;
  });
}

}  // namespace tessera::bind
