#include "tessera/bind/ufunc/override.h"

#include <unordered_map>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/scalar/lazy_scalar.h"

namespace tessera::bind {

namespace {

/// Whether some operand is of another class that overrides ufuncs.
bool has_stranger(PyObject* operands, Py_ssize_t first) {
  static constinit Interned name("__array_ufunc__");
  for (Py_ssize_t i = first; i < PyTuple_GET_SIZE(operands); ++i) {
    PyObject* operand = PyTuple_GET_ITEM(operands, i);
    if (is_ndarray(operand) || PyArray_Check(operand) || PyArray_IsAnyScalar(operand) || is_lazy(operand)) continue;
    if (Object hook(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(operand)), name)); hook) return true;
    PyErr_Clear();
  }
  return false;
}

/// Whether out= holds arrays that are not tessera's.
bool writes_elsewhere(PyObject* kwargs) {
  PyObject* out = kwargs ? PyDict_GetItemString(kwargs, "out") : nullptr;
  if (!out || !PyTuple_Check(out)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(out); ++i) {
    PyObject* item = PyTuple_GET_ITEM(out, i);
    if (item != Py_None && !is_ndarray(item)) return true;
  }
  return false;
}

Object on_host(PyObject* value) {
  if (is_ndarray(value)) return owned(to_numpy(value));
  if (is_lazy(value)) return Object::borrowed(true_scalar(value));
  if (!PyTuple_Check(value)) return Object::borrowed(value);
  Object tuple = owned(PyTuple_New(PyTuple_GET_SIZE(value)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, on_host(PyTuple_GET_ITEM(value, i)).release());
  }
  return tuple;
}

/// Runs the ufunc in NumPy, on NumPy arrays over the same memory.
PyObject* run_on_host(PyObject* method, PyObject* inputs, PyObject* kwargs) {
  Object host_inputs = on_host(inputs);
  Object host_kwargs = owned(PyDict_New());
  PyObject *key, *value;
  for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &key, &value);) {
    Object host_value = on_host(value);
    checked(PyDict_SetItem(host_kwargs.get(), key, host_value.get()));
  }
  return PyObject_Call(method, host_inputs.get(), host_kwargs.get());
}

/// The attribute of an object, or an empty Object when there is none.
Object find_attribute(PyObject* object, PyObject* name) {
  Object found(PyObject_GetAttr(object, name));
  if (!found) PyErr_Clear();
  return found;
}

/// Whether the module, if imported, has this very ufunc under the name.
bool has_ufunc(const char* module, PyObject* name, PyObject* ufunc) {
  PyObject* imported = PyDict_GetItemString(PyImport_GetModuleDict(), module);
  return imported && find_attribute(imported, name).get() == ufunc;
}

/// A borrowed reference to tessera's version of one of NumPy's ufuncs, some of which SciPy also defines; null for all
/// others, whatever their names. Cached by identity.
PyObject* native_ufunc(PyObject* ufunc) {
  static std::unordered_map<PyObject*, PyObject*> known;  // keys and values are kept alive
  auto found = known.find(ufunc);
  if (found != known.end()) return found->second;
  const Object core = owned(PyImport_ImportModule("tessera._core"));
  const Object products = owned(PyImport_ImportModule("tessera.numpy.products"));  // matmul and related products
  Object name = owned(PyObject_GetAttrString(ufunc, "__name__"));
  const bool is_numpys = has_ufunc("numpy._core.umath", name.get(), ufunc);
  Object native;
  if (is_numpys || has_ufunc("scipy.special", name.get(), ufunc)) native = find_attribute(core.get(), name.get());
  if (!native && is_numpys) native = find_attribute(products.get(), name.get());
  return known.emplace(Py_NewRef(ufunc), native.release()).first->second;
}

/// Unpacks out=(x,) to out=x for a ufunc with one result.
Object with_single_out(PyObject* kwargs) {
  PyObject* out = kwargs ? PyDict_GetItemString(kwargs, "out") : nullptr;
  if (!out || !PyTuple_Check(out) || PyTuple_GET_SIZE(out) != 1) return Object::borrowed(kwargs);
  Object copy = owned(PyDict_Copy(kwargs));
  checked(PyDict_SetItemString(copy.get(), "out", PyTuple_GET_ITEM(out, 0)));
  return copy;
}

}  // namespace

PyObject* array_ufunc(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    require<TypeError>(PyTuple_GET_SIZE(args) >= 2, "__array_ufunc__ requires at least 2 arguments");
    PyObject* ufunc = PyTuple_GET_ITEM(args, 0);
    PyObject* method_name = PyTuple_GET_ITEM(args, 1);
    if (has_stranger(args, 2)) Py_RETURN_NOTIMPLEMENTED;
    if (PyUnicode_CompareWithASCIIString(method_name, "__call__") == 0 && (!kwargs || PyDict_GET_SIZE(kwargs) == 0)) {
      PyObject* native = native_ufunc(ufunc);
      if (native)
        return PyObject_Vectorcall(native, reinterpret_cast<PyTupleObject*>(args)->ob_item + 2,
                                   static_cast<size_t>(PyTuple_GET_SIZE(args)) - 2, nullptr);
    }
    Object inputs = owned(PyTuple_GetSlice(args, 2, PyTuple_GET_SIZE(args)));
    Object host_method = owned(PyObject_GetAttr(ufunc, method_name));
    if (writes_elsewhere(kwargs)) return run_on_host(host_method.get(), inputs.get(), kwargs);
    PyObject* native = native_ufunc(ufunc);
    Object method = native ? find_attribute(native, method_name) : Object();
    if (method) {
      Object options = with_single_out(kwargs);
      return PyObject_Call(method.get(), inputs.get(), options.get());
    }
    static constinit Imported call_function("tessera._fallback", "call_function");
    Object options = kwargs ? Object::borrowed(kwargs) : owned(PyDict_New());
    Object name = owned(PyObject_GetAttrString(ufunc, "__name__"));
    return PyObject_CallFunction(call_function, "OOOOs", host_method.get(), name.get(), inputs.get(), options.get(),
                                 "the engine does not have this ufunc");
  });
}

PyObject* lazy_array_ufunc(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    require<TypeError>(PyTuple_GET_SIZE(args) >= 2, "__array_ufunc__ requires at least 2 arguments");
    PyObject* ufunc = PyTuple_GET_ITEM(args, 0);
    PyObject* method_name = PyTuple_GET_ITEM(args, 1);
    bool only_scalars = true;
    for (Py_ssize_t i = 2; i < PyTuple_GET_SIZE(args); ++i) {
      PyObject* operand = PyTuple_GET_ITEM(args, i);
      if (is_ndarray(operand)) Py_RETURN_NOTIMPLEMENTED;  // the array's hook handles it
      only_scalars &= is_lazy(operand) || PyArray_IsAnyScalar(operand);
    }
    PyObject* out = kwargs ? PyDict_GetItemString(kwargs, "out") : nullptr;
    if (out && PyTuple_Check(out)) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(out); ++i)
        if (is_ndarray(PyTuple_GET_ITEM(out, i))) Py_RETURN_NOTIMPLEMENTED;
    }
    Object inputs = owned(PyTuple_GetSlice(args, 2, PyTuple_GET_SIZE(args)));
    const bool is_plain = only_scalars && (!kwargs || PyDict_GET_SIZE(kwargs) == 0) &&
                          PyUnicode_CompareWithASCIIString(method_name, "__call__") == 0;
    if (PyObject* native = is_plain ? native_ufunc(ufunc) : nullptr) return PyObject_CallObject(native, inputs.get());
    Object method = owned(PyObject_GetAttr(ufunc, method_name));
    return run_on_host(method.get(), inputs.get(), kwargs);
  });
}

PyObject* array_function(PyObject*, PyObject* args, PyObject* names) {
  return guarded([&] {
    static constinit Imported dispatch("tessera.numpy._dispatch", "array_function");
    return PyObject_Call(dispatch, args, names);
  });
}

}  // namespace tessera::bind
