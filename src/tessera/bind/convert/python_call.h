/// Calls into the Python side of the package through cached lookups.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// A borrowed reference to tessera.numpy.<name>, cached permanently; throws ErrorAlreadySet when there is none.
PyObject* numpy_function(const char* name);
/// A borrowed reference to tessera._core.<name> or <name>.<attribute>, cached likewise.
PyObject* core_function(const char* name, const char* attribute = nullptr);
/// function(self, *args, **kwargs), without building tuples; does not throw, returns null with the error set.
PyObject* call_with_self(PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
/// Set while a method forwards to a function of the same name, which must then not look up a subclass's own method.
inline bool called_by_method = false;
/// tessera.numpy.<name>(self, *args, **kwargs) with a METH_FASTCALL | METH_KEYWORDS method's arguments.
PyObject* forward_method(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
/// The same for a function object.
PyObject* forward_method(PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

}  // namespace tessera::bind
