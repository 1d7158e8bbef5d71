#include "tessera/bind/ufunc/ufunc_override.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/bind/ufunc/ufunc_arguments.h"
#include "tessera/bind/ufunc/ufunc_fallback.h"
#include "tessera/bind/ufunc/ufunc_object.h"

namespace tessera::bind {

namespace {

struct Override {
  PyObject* operand;  // borrowed
  Object hook;        // the class's __array_ufunc__
};

bool is_common(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == ndarray_type || type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type ||
         type == &PyComplex_Type || type == &PyList_Type || type == &PyTuple_Type || type == &PyUnicode_Type ||
         object == Py_None || PyArray_CheckExact(object) || PyArray_IsScalar(object, Generic) || is_lazy(object);
}

Object hook_of(PyObject* type) {
  static constinit Interned name("__array_ufunc__");
  Object hook(PyObject_GetAttr(type, name));
  if (!hook) PyErr_Clear();
  return hook;
}

/// Adds the operand when its class overrides, before the first collected class that it derives from.
void collect(std::vector<Override>& overrides, PyObject* object) {
  if (is_common(object)) return;
  PyTypeObject* type = Py_TYPE(object);
  for (const Override& o : overrides) {
    if (Py_TYPE(o.operand) == type) return;
  }
  static constinit Kept own, numpys;
  const auto hook_kept = [](Kept& kept, PyObject* of) { return kept.get([of] { return hook_of(of).release(); }); };
  Object hook = hook_of(reinterpret_cast<PyObject*>(type));
  if (!hook || hook.get() == hook_kept(own, reinterpret_cast<PyObject*>(ndarray_type)) ||
      hook.get() == hook_kept(numpys, reinterpret_cast<PyObject*>(&PyArray_Type)))
    return;
  require<TypeError>(hook.get() != Py_None, "operand '{}' does not support ufuncs (__array_ufunc__=None)",
                     type->tp_name);
  auto before = std::find_if(overrides.begin(), overrides.end(),
                             [&](const Override& o) { return PyType_IsSubtype(type, Py_TYPE(o.operand)); });
  overrides.insert(before, {object, std::move(hook)});
}

/// The keyword names of the positional arguments after the operands.
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

void drop(PyObject* keywords, const char* name) { checked(PyDict_DelItemString(keywords, name)); }

/// Normalises out to a tuple with one entry for each result; removes it when all are None.
void normalize_out(const ops::Op& op, PyObject* keywords) {
  PyObject* out = PyDict_GetItemString(keywords, "out");
  if (!out) return;
  if (out == Py_None) return drop(keywords, "out");
  if (!PyTuple_Check(out)) {
    require<TypeError>(op.nout == 1, "'out' must be a tuple of arrays");
    Object tuple = owned(PyTuple_Pack(1, out));
    return checked(PyDict_SetItemString(keywords, "out", tuple.get()));
  }
  require<ValueError>(PyTuple_GET_SIZE(out) == op.nout, "The 'out' tuple must have exactly one entry per ufunc output");
  bool any = false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(out); ++k) any |= PyTuple_GET_ITEM(out, k) != Py_None;
  if (!any) drop(keywords, "out");
}

/// Renames sig to signature.
void normalize_signature(PyObject* keywords) {
  PyObject* sig = PyDict_GetItemString(keywords, "sig");
  if (!sig) return;
  require<TypeError>(!PyDict_GetItemString(keywords, "signature"), "cannot specify both 'sig' and 'signature'");
  checked(PyDict_SetItemString(keywords, "signature", sig));
  drop(keywords, "sig");
}

/// Keywords as the protocol requires: extra positional arguments by name, out always a tuple, absent ones left out.
Object normal_keywords(const ops::Op& op, std::string_view method, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* names, Py_ssize_t operands) {
  Object keywords(pack_keywords(args, nargs, names));
  if (!keywords) keywords = owned(PyDict_New());
  if (method == "__call__") {
    check_call(op, nargs, names);
    if (nargs > operands) {
      require<TypeError>(!PyDict_GetItemString(keywords.get(), "out"),
                         "cannot specify 'out' as both a positional and keyword argument");
      Object out = owned(PyTuple_New(op.nout));
      for (Py_ssize_t k = 0; k < op.nout; ++k) {
        PyObject* given = operands + k < nargs ? args[operands + k] : Py_None;
        PyTuple_SET_ITEM(out.get(), k, Py_NewRef(given));
      }
      checked(PyDict_SetItemString(keywords.get(), "out", out.get()));
    }
    normalize_signature(keywords.get());
  }
  auto extra = extra_names(method);
  for (Py_ssize_t i = operands; method != "__call__" && i < nargs; ++i) {
    if (static_cast<size_t>(i - operands) >= extra.size() || args[i] == Py_None) continue;
    checked(PyDict_SetItemString(keywords.get(), std::string(extra[i - operands]).c_str(), args[i]));
  }
  normalize_out(op, keywords.get());
  return keywords;
}

/// Throws NumPy's TypeError, which shows the whole call.
[[noreturn]] void fail(PyObject* ufunc, const char* method, PyObject* inputs, PyObject* keywords) {
  static constinit Imported formatter("numpy._core._internal", "array_ufunc_errmsg_formatter");
  Object head = owned(Py_BuildValue("(OOs)", Py_None, ufunc, method));
  Object all = owned(PySequence_Concat(head.get(), inputs));
  Object text = owned(PyObject_Call(formatter, all.get(), keywords));
  PyErr_SetObject(PyExc_TypeError, text.get());
  throw ErrorAlreadySet();
}

}  // namespace

PyObject* try_override(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  std::vector<Override> overrides;
  for (Py_ssize_t i = 0; i < nargs; ++i) collect(overrides, args[i]);
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* value = args[nargs + i];
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "where") == 0) collect(overrides, value);
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "out") != 0) continue;
    if (!PyTuple_Check(value)) collect(overrides, value);
    for (Py_ssize_t k = 0; PyTuple_Check(value) && k < PyTuple_GET_SIZE(value); ++k)
      collect(overrides, PyTuple_GET_ITEM(value, k));
  }
  if (overrides.empty()) return nullptr;

  const ops::Op& op = op_of(ufunc);
  Py_ssize_t operands = operand_count(op, method, nargs);
  Object keywords = normal_keywords(op, method, args, nargs, names, operands);
  Object inputs = owned(pack_positional(args, operands));
  for (const Override& o : overrides) {
    Object head = owned(Py_BuildValue("(OOs)", o.operand, ufunc, method));
    Object positional = owned(PySequence_Concat(head.get(), inputs.get()));
    Object answer = owned(PyObject_Call(o.hook.get(), positional.get(), keywords.get()));
    if (answer.get() != Py_NotImplemented) return answer.release();
  }
  fail(ufunc, method, inputs.get(), keywords.get());
}

}  // namespace tessera::bind
