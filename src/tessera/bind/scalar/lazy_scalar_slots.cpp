// The types of lazy scalars: everything but arithmetic (lazy_scalar_numbers.cpp) is forwarded to the true scalar.
#include <algorithm>
#include <string>

#include "tessera/base/format.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/scalar/lazy_scalar.h"

namespace tessera::bind {

namespace {

void free_lazy(PyObject* object) {
  LazyScalar* self = as_lazy(object);
  forget_total(*self);
  self->array.~Array();
  self->view.~View();
  Py_XDECREF(self->value);
  Py_XDECREF(self->source);
  PyObject_Free(object);
}

PyObject* compare(PyObject* self, PyObject* other, int op) {
  if (is_ndarray(other)) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] { return PyObject_RichCompare(true_scalar(self), without_laziness(other), op); });
}

Py_hash_t hash(PyObject* self) {
  return guarded([&] { return PyObject_Hash(true_scalar(self)); }, Py_hash_t{-1});
}

PyObject* text(PyObject* self) {
  return guarded([&] { return PyObject_Str(true_scalar(self)); });
}

PyObject* representation(PyObject* self) {
  return guarded([&] { return PyObject_Repr(true_scalar(self)); });
}

PyObject* item(PyObject* self, PyObject* key) {
  return guarded([&] { return PyObject_GetItem(true_scalar(self), key); });
}
PyMappingMethods items = {.mp_subscript = item};

int export_buffer(PyObject* self, Py_buffer* buffer, int flags) {
  return guarded([&] { return PyObject_GetBuffer(true_scalar(self), buffer, flags); }, -1);
}
PyBufferProcs buffers = {.bf_getbuffer = export_buffer};

/// The attributes that the class itself defines (protocols looked up on the class, and shape and dtype), else those of
/// the true scalar.
PyObject* attribute(PyObject* self, PyObject* name) {
  PyObject* own = PyDict_GetItemWithError(Py_TYPE(self)->tp_dict, name);
  if (own) return PyObject_GenericGetAttr(self, name);
  if (PyErr_Occurred()) return nullptr;
  return guarded([&] { return PyObject_GetAttr(true_scalar(self), name); });
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  return guarded([&] { return PyObject_SetAttr(true_scalar(self), name, value); }, -1);
}

template <size_t n>
struct Name {
  char text[n];
  consteval Name(const char (&from)[n]) { std::copy_n(from, n, text); }
};

/// Calls the true scalar's method of that name.
template <Name name>
PyObject* forward(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Object method = owned(PyObject_GetAttrString(true_scalar(self), name.text));
    return PyObject_Vectorcall(method.get(), args, static_cast<size_t>(nargs), names);
  });
}

/// Calls module.name(scalar, ...), which raises the error when the scalar does not support it.
template <Name module, Name name>
PyObject* apply_function(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&] {
    static constinit Imported function(module.text, name.text);
    SmallVector<PyObject*, 4> all{true_scalar(self)};
    for (Py_ssize_t k = 0; k < nargs; ++k) all.push_back(args[k]);
    return PyObject_Vectorcall(function, all.data(), all.size(), nullptr);
  });
}

PyObject* itself(PyObject* self, PyObject*) {
  return guarded([&] { return Py_NewRef(true_scalar(self)); });
}

template <class F>
PyCFunction as_method(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

#define TESSERA_FORWARD(name) {name, as_method(forward<name>), METH_FASTCALL | METH_KEYWORDS, nullptr}
#define TESSERA_APPLY(method, module, name) {method, as_method(apply_function<module, name>), METH_FASTCALL, nullptr}
PyMethodDef methods[] = {
    TESSERA_FORWARD("__array__"),
    TESSERA_FORWARD("__reduce_ex__"),
    TESSERA_FORWARD("__reduce__"),
    TESSERA_FORWARD("__dir__"),
    TESSERA_FORWARD("__sizeof__"),
    TESSERA_APPLY("__format__", "builtins", "format"),
    TESSERA_APPLY("__round__", "builtins", "round"),
    TESSERA_APPLY("__complex__", "builtins", "complex"),
    TESSERA_APPLY("__trunc__", "math", "trunc"),
    TESSERA_APPLY("__floor__", "math", "floor"),
    TESSERA_APPLY("__ceil__", "math", "ceil"),
    {"__copy__", itself, METH_NOARGS, nullptr},
    {"__deepcopy__", itself, METH_O, nullptr},
    {"__conform__", itself, METH_O, nullptr},  // without it, sqlite3 stores the bytes of scalars that are not floats
    {"__array_ufunc__", as_method(lazy_array_ufunc), METH_VARARGS | METH_KEYWORDS, nullptr},
    {},
};
#undef TESSERA_FORWARD
#undef TESSERA_APPLY

PyObject* get_class(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(scalar_type(lazy_dtype(self))));
}
PyObject* get_shape(PyObject*, void*) { return PyTuple_New(0); }
PyObject* get_ndim(PyObject*, void*) { return PyLong_FromLong(0); }
PyObject* get_size(PyObject*, void*) { return PyLong_FromLong(1); }
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromLong(static_cast<long>(itemsize(lazy_dtype(self)))); }

PyGetSetDef attributes[] = {
    {"__class__", get_class, nullptr, nullptr, nullptr},
    {"shape", get_shape, nullptr, nullptr, nullptr},
    {"ndim", get_ndim, nullptr, nullptr, nullptr},
    {"size", get_size, nullptr, nullptr, nullptr},
    {"itemsize", get_itemsize, nullptr, nullptr, nullptr},
    {"nbytes", get_itemsize, nullptr, nullptr, nullptr},
    {},
};

/// type(x)(...) creates true scalars.
PyObject* make(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return PyObject_Call(reinterpret_cast<PyObject*>(scalar_type(static_cast<DType>(type - lazy_types))), args, kwargs);
}

}  // namespace

PyTypeObject lazy_types[dtype_count];

void load_lazy_types(PyObject* module) {
  static std::string names[dtype_count];
  for (int k = 0; k < dtype_count; ++k) {
    const DType dtype = static_cast<DType>(k);
    names[k] = format("tessera.numpy.lazy.{}", name(dtype));
    lazy_types[k] = {
        .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
        .tp_name = names[k].c_str(),
        .tp_basicsize = sizeof(LazyScalar),
        .tp_dealloc = free_lazy,
        .tp_repr = representation,
        .tp_as_number = is_integer(dtype) ? &lazy_integers : &lazy_numbers,
        .tp_as_mapping = &items,
        .tp_hash = hash,
        .tp_str = text,
        .tp_getattro = attribute,
        .tp_setattro = set_attribute,
        .tp_as_buffer = &buffers,
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
        .tp_doc = "A NumPy scalar whose value comes from a device when it is read.",
        .tp_richcompare = compare,
        .tp_methods = methods,
        .tp_getset = attributes,
        .tp_new = make,
    };
    if (dtype != DType::bfloat16) {  // which has no lazy scalars
      // The class needs a dtype attribute of its own, for code that requests elements of type(x).
      lazy_types[k].tp_dict = checked(PyDict_New());
      Object own = owned(from_dtype(dtype));
      checked(PyDict_SetItemString(lazy_types[k].tp_dict, "dtype", own.get()));
    }
    checked(PyType_Ready(&lazy_types[k]));
  }
  static PyMethodDef question = {
      "is_lazy", [](PyObject*, PyObject* object) { return PyBool_FromLong(pending_scalar(object) != nullptr); }, METH_O,
      "Whether it is a scalar that a device is still to give and nobody has looked at."};
  static PyMethodDef synchronise = {
      "look_at_totals", [](PyObject*, PyObject*) { return guarded([] { return check_totals(), Py_NewRef(Py_None); }); },
      METH_NOARGS, "Waits for the full sums and products recorded last, which may have to warn."};
  Object synchronisations = owned(PyCFunction_New(&synchronise, nullptr));
  checked(PyModule_AddObjectRef(module, "look_at_totals", synchronisations.get()));
  Object is_lazy = owned(PyCFunction_New(&question, nullptr));
  checked(PyModule_AddObjectRef(module, "is_lazy", is_lazy.get()));
}

}  // namespace tessera::bind
