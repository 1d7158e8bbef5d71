#include "tessera/bind/ufunc_override.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/ndarray.h"
#include "tessera/bind/numpy_api.h"
#include "tessera/bind/object.h"
#include "tessera/bind/ufunc_fallback.h"
#include "tessera/bind/ufunc_object.h"

namespace tessera::bind {

namespace {

struct Override {
  PyObject* operand;  // borrowed
  Object hook;        // its class's __array_ufunc__
};

bool is_common(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == ndarray_type || type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type ||
         type == &PyComplex_Type || type == &PyList_Type || type == &PyTuple_Type || type == &PyUnicode_Type ||
         object == Py_None || PyArray_CheckExact(object) || PyArray_IsScalar(object, Generic);
}

Object hook_of(PyObject* type) {
  static PyObject* name = PyUnicode_InternFromString("__array_ufunc__");
  Object hook(PyObject_GetAttr(type, name));
  if (!hook) PyErr_Clear();
  return hook;
}

/// Adds the operand when its class overrides; before the first class that it derives from.
void collect(std::vector<Override>& overrides, PyObject* object) {
  if (is_common(object)) return;
  PyTypeObject* type = Py_TYPE(object);
  for (const Override& o : overrides) {
    if (Py_TYPE(o.operand) == type) return;
  }
  static Object own = hook_of(reinterpret_cast<PyObject*>(ndarray_type));
  static Object numpys = hook_of(reinterpret_cast<PyObject*>(&PyArray_Type));
  Object hook = hook_of(reinterpret_cast<PyObject*>(type));
  if (!hook || hook.get() == own.get() || hook.get() == numpys.get()) return;
  require<TypeError>(hook.get() != Py_None, "operand '{}' does not support ufuncs (__array_ufunc__=None)", type->tp_name);
  auto before = std::find_if(overrides.begin(), overrides.end(),
                             [&](const Override& o) { return PyType_IsSubtype(type, Py_TYPE(o.operand)); });
  overrides.insert(before, {object, std::move(hook)});
}

/// What positional arguments after the operands are called.
std::vector<std::string_view> extra_names(std::string_view method) {
  if (method == "reduce") return {"axis", "dtype", "out", "keepdims", "initial", "where"};
  if (method == "accumulate" || method == "reduceat") return {"axis", "dtype", "out"};
  return {};
}

Py_ssize_t operand_count(const ops::Op& op, std::string_view method, Py_ssize_t nargs) {
  if (method == "__call__") return std::min<Py_ssize_t>(op.nin, nargs);
  if (method == "reduce" || method == "accumulate") return std::min<Py_ssize_t>(1, nargs);
  if (method == "reduceat") return std::min<Py_ssize_t>(2, nargs);
  return nargs;
}

/// Keywords as the protocol wants them: extra positional arguments by name, out always a tuple, absent ones left out.
Object normal_keywords(const ops::Op& op, std::string_view method, PyObject* const* args, Py_ssize_t nargs, PyObject* names,
                       Py_ssize_t operands) {
  Object keywords(pack_keywords(args, nargs, names));
  if (!keywords) keywords = owned(PyDict_New());
  if (method == "__call__" && nargs > operands) {
    Object out = owned(PyTuple_New(op.nout));
    for (Py_ssize_t k = 0; k < op.nout; ++k) {
      PyObject* given = operands + k < nargs ? args[operands + k] : Py_None;
      PyTuple_SET_ITEM(out.get(), k, Py_NewRef(given));
    }
    checked(PyDict_SetItemString(keywords.get(), "out", out.get()));
  }
  auto extra = extra_names(method);
  for (Py_ssize_t i = operands; method != "__call__" && i < nargs; ++i) {
    if (static_cast<size_t>(i - operands) >= extra.size() || args[i] == Py_None) continue;
    checked(PyDict_SetItemString(keywords.get(), std::string(extra[i - operands]).c_str(), args[i]));
  }
  PyObject* out = PyDict_GetItemString(keywords.get(), "out");
  if (out == Py_None) {
    checked(PyDict_DelItemString(keywords.get(), "out"));
  } else if (out && !PyTuple_Check(out)) {
    Object tuple = owned(PyTuple_Pack(1, out));
    checked(PyDict_SetItemString(keywords.get(), "out", tuple.get()));
  }
  return keywords;
}

[[noreturn]] void fail(PyObject* ufunc, const char* method, const std::vector<Override>& overrides) {
  std::string types;
  for (const Override& o : overrides) types += format("{}'{}'", types.empty() ? "" : ", ", Py_TYPE(o.operand)->tp_name);
  throw TypeError(format("operand type(s) all returned NotImplemented from __array_ufunc__(<ufunc '{}'>, '{}', ...): {}",
                         op_of(ufunc).name, method, types));
}

}  // namespace

PyObject* try_override(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  std::vector<Override> overrides;
  for (Py_ssize_t i = 0; i < nargs; ++i) collect(overrides, args[i]);
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "out") != 0) continue;
    PyObject* out = args[nargs + i];
    if (!PyTuple_Check(out)) collect(overrides, out);
    for (Py_ssize_t k = 0; PyTuple_Check(out) && k < PyTuple_GET_SIZE(out); ++k) collect(overrides, PyTuple_GET_ITEM(out, k));
  }
  if (overrides.empty()) return nullptr;

  const ops::Op& op = op_of(ufunc);
  Py_ssize_t operands = operand_count(op, method, nargs);
  Object keywords = normal_keywords(op, method, args, nargs, names, operands);
  for (const Override& o : overrides) {
    Object positional = owned(PyTuple_New(3 + operands));
    PyTuple_SET_ITEM(positional.get(), 0, Py_NewRef(o.operand));
    PyTuple_SET_ITEM(positional.get(), 1, Py_NewRef(ufunc));
    PyTuple_SET_ITEM(positional.get(), 2, checked(PyUnicode_FromString(method)));
    for (Py_ssize_t i = 0; i < operands; ++i) PyTuple_SET_ITEM(positional.get(), 3 + i, Py_NewRef(args[i]));
    Object answer = owned(PyObject_Call(o.hook.get(), positional.get(), keywords.get()));
    if (answer.get() != Py_NotImplemented) return answer.release();
  }
  fail(ufunc, method, overrides);
}

}  // namespace tessera::bind
