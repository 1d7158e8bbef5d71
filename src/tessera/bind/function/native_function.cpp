#include "tessera/bind/function/native_function.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "tessera/bind/array/array_wrap.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/scalar/elements.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

/// The subclass of ndarray that a function's results take, as for NumPy's function of the same name.
enum class ResultClass {
  any,           // that of the function's own result
  first,         // the first argument's, scalars included
  first_arrays,  // the first argument's, if the results are arrays or tuples of arrays
  some_arrays,   // that of the first argument of a subclass, if the result is an array
  plain,         // none: arguments are treated as plain arrays
};

struct NativeFunction {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;
  PyObject* name;  // NumPy's dotted name of the function
  Shortcut shortcut;
  bool dispatches;  // an argument's own __array_function__ overrides it
  ResultClass result_class;
  PyObject* attributes;
  PyObject* weakrefs;
};

NativeFunction* as_native(PyObject* object) { return reinterpret_cast<NativeFunction*>(object); }

/// tessera.numpy._dispatch.Foreign, once that module is loaded; else null.
PyObject* foreign_type = nullptr;

/// A vectorcall's arguments as a tuple and a dict.
struct TupleAndDict {
  Object positional, keywords;

  TupleAndDict(PyObject* const* args, Py_ssize_t nargs, PyObject* names)
      : positional(owned(PyTuple_New(nargs))), keywords(owned(PyDict_New())) {
    for (Py_ssize_t k = 0; k < nargs; ++k) PyTuple_SET_ITEM(positional.get(), k, Py_NewRef(args[k]));
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k) {
      checked(PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(names, k), args[nargs + k]));
    }
  }
};

/// Repeats a call that raised Foreign, in NumPy on the host.
PyObject* call_host(NativeFunction* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Object held_type(type), held_value(value), held_traceback(traceback);
    Object reason = owned(PyObject_Str(value));
    TupleAndDict packed(args, nargs, names);
    static constinit Imported fall_back("tessera._fallback", "call");
    PyObject* all[] = {self->name, packed.positional.get(), packed.keywords.get(), reason.get()};
    return PyObject_Vectorcall(fall_back, all, 4, nullptr);
  });
}

bool asks_for_like(PyObject* names) {
  static constinit Interned like("like");
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k) {
    if (PyTuple_GET_ITEM(names, k) == like) return true;
  }
  return false;
}

/// A call with like=, which another library's array may override.
PyObject* call_like(NativeFunction* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    TupleAndDict packed(args, nargs, names);
    static constinit Imported create_like("tessera.numpy._dispatch", "create_like");
    PyObject* all[] = {self->function, packed.positional.get(), packed.keywords.get()};
    return PyObject_Vectorcall(create_like, all, 3, nullptr);
  });
}

/// Whether the argument's type overrides NumPy's functions: arrays of other libraries, subclasses of NumPy's array.
bool overrides_functions(PyObject* argument) {
  static constinit Interned protocol("__array_function__");
  PyObject* own = _PyType_Lookup(ndarray_type, protocol);
  static constinit Imported memmap("numpy", "memmap");
  PyTypeObject* type = Py_TYPE(argument);
  if (type == ndarray_type || PyArray_CheckExact(argument) || reinterpret_cast<PyObject*>(type) == memmap) return false;
  PyObject* found = _PyType_Lookup(type, protocol);
  return found && found != own && !PyType_Check(argument);
}

/// The same for an argument or the arrays in a list; a list with a number or a list before any array is taken to hold
/// no arrays.
bool brings_override(PyObject* argument) {
  if (!PyList_CheckExact(argument) && !PyTuple_CheckExact(argument)) return overrides_functions(argument);
  PyObject* const* items = PySequence_Fast_ITEMS(argument);
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(argument); ++k) {
    if (PyFloat_CheckExact(items[k]) || PyLong_CheckExact(items[k]) || PyList_CheckExact(items[k])) return false;
    if (overrides_functions(items[k])) return true;
  }
  return false;
}

PyObject* call_overridden(NativeFunction* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    TupleAndDict packed(args, nargs, names);
    static constinit Imported call("tessera.numpy._dispatch", "call_overridden");
    PyObject* all[] = {self->name, packed.positional.get(), packed.keywords.get()};
    return PyObject_Vectorcall(call, all, 3, nullptr);
  });
}

/// The subclass's own method with the function's name, which NumPy's function would call; borrowed, null for none.
PyObject* own_method(NativeFunction* self, PyObject* argument) {
  PyObject* inherited = _PyType_Lookup(ndarray_type, self->name);
  PyObject* found = inherited ? _PyType_Lookup(Py_TYPE(argument), self->name) : nullptr;
  return found == inherited ? nullptr : found;
}

PyObject* array_in_class_of(PyObject* parent, PyObject* result) {
  if (is_ndarray(result) && as_ndarray(result)->array.ndim() == 0) {
    Object held(result);
    return guarded([&] { return load_element(as_ndarray(held.get()), 0); });
  }
  if (is_ndarray(result)) return in_class_of(parent, result);
  if (!PyTuple_Check(result)) return result;
  return guarded([&] {
    Object tuple(result);
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(result); ++k) {
      PyObject* item = PyTuple_GET_ITEM(result, k);
      PyTuple_SET_ITEM(result, k, nullptr);
      PyTuple_SET_ITEM(result, k, checked(array_in_class_of(parent, item)));
    }
    return tuple.release();
  });
}

/// Calls the function with an argument of a subclass and converts the result to the class that NumPy gives it.
PyObject* call_with_classes(NativeFunction* self, PyObject* const* args, size_t flagged, Py_ssize_t count,
                            PyObject* names, bool from_method) {
  PyObject* const* parent = std::find_if(args, args + count, is_derived);
  if (self->result_class == ResultClass::plain) {
    return guarded([&] {
      std::vector<Object> kept;
      SmallVector<PyObject*, 8> plain;
      for (Py_ssize_t k = 0; k < count; ++k) {
        PyObject* argument = args[k];
        if (is_derived(argument))
          argument =
              kept.emplace_back(owned(wrap(as_ndarray(argument)->array, argument, as_ndarray(argument)->writeable)))
                  .get();
        plain.push_back(argument);
      }
      return PyObject_Vectorcall(self->function, plain.data(), PyVectorcall_NARGS(flagged), names);
    });
  }
  if (is_derived(args[0]) && !from_method) {
    if (PyObject* method = own_method(self, args[0])) return PyObject_Vectorcall(method, args, flagged, names);
  }
  PyObject* result = PyObject_Vectorcall(self->function, args, flagged, names);
  if (!result || self->result_class == ResultClass::any || std::find(args, args + count, result) != args + count)
    return result;
  if (self->result_class == ResultClass::some_arrays) return array_in_class_of(*parent, result);
  if (!is_derived(args[0])) return result;
  return self->result_class == ResultClass::first ? in_class_of(args[0], result) : array_in_class_of(args[0], result);
}

PyObject* call_native(PyObject* object, PyObject* const* args, size_t flagged, PyObject* names) {
  NativeFunction* self = as_native(object);
  const bool from_method = std::exchange(called_by_method, false);
  Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
  const Py_ssize_t count = nargs + (names ? PyTuple_GET_SIZE(names) : 0);
  if (self->dispatches && std::any_of(args, args + count, brings_override))
    return call_overridden(self, args, nargs, names);
  if (self->shortcut && !names) {
    PyObject* result = self->shortcut(args, nargs);
    if (result || PyErr_Occurred()) return result;
  }
  if (names && asks_for_like(names)) return call_like(self, args, nargs, names);
  const bool classes = self->dispatches && nargs > 0 && std::any_of(args, args + count, is_derived);
  PyObject* result = classes ? call_with_classes(self, args, flagged, count, names, from_method)
                             : PyObject_Vectorcall(self->function, args, flagged, names);
  if (result || !foreign_type || !PyErr_ExceptionMatches(foreign_type)) return result;
  return call_host(self, args, nargs, names);
}

void free_native(PyObject* object) {
  NativeFunction* self = as_native(object);
  PyObject_GC_UnTrack(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->function);
  Py_CLEAR(self->name);
  Py_CLEAR(self->attributes);
  Py_TYPE(object)->tp_free(object);
}

int traverse_native(PyObject* object, visitproc visit, void* arg) {
  NativeFunction* self = as_native(object);
  Py_VISIT(self->function);
  Py_VISIT(self->attributes);
  return 0;
}

int clear_native(PyObject* object) {
  Py_CLEAR(as_native(object)->attributes);
  return 0;
}

PyObject* text_of_native(PyObject* object) { return PyUnicode_FromFormat("<function %U>", as_native(object)->name); }

/// Pickled by name, as functions are.
PyObject* reduce_native(PyObject* object, PyObject*) { return PyObject_GetAttrString(object, "__qualname__"); }

PyMethodDef pickle_methods[] = {{"__reduce__", reduce_native, METH_NOARGS, "Pickles the function by its name."}, {}};

PyObject* implementation_of(PyObject* object, void*) { return Py_NewRef(as_native(object)->function); }

/// The signature that was set, else the Python function's; NumPy's array-creation functions have none of their own.
PyObject* signature_of(PyObject* object, void*) {
  NativeFunction* self = as_native(object);
  static constinit Interned name("__signature__");
  if (PyObject* given = self->attributes ? PyDict_GetItemWithError(self->attributes, name) : nullptr)
    return Py_NewRef(given);
  return guarded([&] {
    static constinit Imported signature("inspect", "signature");
    return PyObject_CallOneArg(signature, self->function);
  });
}

int set_signature(PyObject* object, PyObject* value, void*) {
  Object attributes(PyObject_GenericGetDict(object, nullptr));
  return attributes && value ? PyDict_SetItemString(attributes.get(), "__signature__", value) : -1;
}

PyGetSetDef getters[] = {
    {"__signature__", signature_of, set_signature, "How the function is called.", nullptr},
    {"_implementation", implementation_of, nullptr, "The function itself, deaf to overrides.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {}};

PyTypeObject type_object = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "tessera._core.native_function",
    .tp_basicsize = sizeof(NativeFunction),
    .tp_dealloc = free_native,
    .tp_vectorcall_offset = offsetof(NativeFunction, call),
    .tp_repr = text_of_native,
    .tp_call = PyVectorcall_Call,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = traverse_native,
    .tp_clear = clear_native,
    .tp_weaklistoffset = offsetof(NativeFunction, weakrefs),
    .tp_methods = pickle_methods,
    .tp_getset = getters,
    .tp_dictoffset = offsetof(NativeFunction, attributes),
};

/// native(function, name, ...): the callable that replaces a function; the caller copies its documentation.
nb::object make_native(nb::handle function, nb::handle name, bool dispatches, int result_class) {
  Object object = owned(PyType_GenericAlloc(&type_object, 0));
  NativeFunction* self = as_native(object.get());
  self->call = call_native;
  self->function = Py_NewRef(function.ptr());
  self->name = Py_NewRef(name.ptr());
  self->dispatches = dispatches;
  self->result_class = static_cast<ResultClass>(result_class);
  self->shortcut = find_shortcut(PyUnicode_AsUTF8(name.ptr()));
  return nb::steal(object.release());
}

}  // namespace

void bind_native_function(nb::module_& module) {
  checked(PyType_Ready(&type_object));
  checked(PyModule_AddObjectRef(module.ptr(), "native_function", reinterpret_cast<PyObject*>(&type_object)));
  module.def("native", make_native, nb::arg("function"), nb::arg("name"), nb::arg("dispatches"),
             nb::arg("result_class"), "The fast callable that stands for a function.");
  module.def(
      "set_foreign_type", [](nb::handle type) { foreign_type = Py_NewRef(type.ptr()); }, nb::arg("type"),
      "The exception by which a function sends its call to NumPy.");
}

}  // namespace tessera::bind
