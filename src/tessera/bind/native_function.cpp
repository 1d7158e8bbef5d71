#include "tessera/bind/native_function.h"

#include <structmember.h>

#include <cstddef>

#include "tessera/bind/errors.h"
#include "tessera/bind/object.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

struct NativeFunction {
  PyObject_HEAD
  vectorcallfunc call;
  PyObject* function;
  PyObject* name;  // what NumPy calls it, dotted
  Shortcut shortcut;
  PyObject* attributes;
  PyObject* weakrefs;
};

NativeFunction* as_native(PyObject* object) { return reinterpret_cast<NativeFunction*>(object); }

/// tessera.numpy._dispatch.Foreign, once that module is loaded.
PyObject* foreign_type = nullptr;

/// The call that ended in Foreign, in NumPy on the host.
PyObject* call_host(NativeFunction* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Object held_type(type), held_value(value), held_traceback(traceback);
    Object reason = owned(PyObject_Str(value));
    Object positional = owned(PyTuple_New(nargs));
    for (Py_ssize_t k = 0; k < nargs; ++k) PyTuple_SET_ITEM(positional.get(), k, Py_NewRef(args[k]));
    Object keywords = owned(PyDict_New());
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k) {
      checked(PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(names, k), args[nargs + k]));
    }
    static PyObject* fall_back = import_attribute("tessera._fallback", "call");
    PyObject* all[] = {self->name, positional.get(), keywords.get(), reason.get()};
    return PyObject_Vectorcall(fall_back, all, 4, nullptr);
  });
}

PyObject* call_native(PyObject* object, PyObject* const* args, size_t flagged, PyObject* names) {
  NativeFunction* self = as_native(object);
  Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
  if (self->shortcut && !names) {
    PyObject* result = self->shortcut(args, nargs);
    if (result || PyErr_Occurred()) return result;
  }
  PyObject* result = PyObject_Vectorcall(self->function, args, flagged, names);
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

PyObject* text_of_native(PyObject* object) {
  return PyUnicode_FromFormat("<function %U>", as_native(object)->name);
}

/// Pickled by name, as functions are.
PyObject* reduce_native(PyObject* object, PyObject*) { return PyObject_GetAttrString(object, "__qualname__"); }

PyMethodDef methods[] = {{"__reduce__", reduce_native, METH_NOARGS, "Pickles the function by its name."}, {}};

PyGetSetDef getters[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};

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
    .tp_methods = methods,
    .tp_getset = getters,
    .tp_dictoffset = offsetof(NativeFunction, attributes),
};

/// native(function, name): the callable that stands for a function; the caller copies its documentation.
nb::object make_native(nb::handle function, nb::handle name) {
  Object object = owned(PyType_GenericAlloc(&type_object, 0));
  NativeFunction* self = as_native(object.get());
  self->call = call_native;
  self->function = Py_NewRef(function.ptr());
  self->name = Py_NewRef(name.ptr());
  self->shortcut = find_shortcut(PyUnicode_AsUTF8(name.ptr()));
  return nb::steal(object.release());
}

}  // namespace

void bind_native_function(nb::module_& module) {
  checked(PyType_Ready(&type_object));
  checked(PyModule_AddObjectRef(module.ptr(), "native_function", reinterpret_cast<PyObject*>(&type_object)));
  module.def("native", make_native, nb::arg("function"), nb::arg("name"), "The fast callable that stands for a function.");
  module.def("set_foreign_type", [](nb::handle type) { foreign_type = Py_NewRef(type.ptr()); }, nb::arg("type"),
             "The exception by which a function sends its call to NumPy.");
}

}  // namespace tessera::bind
