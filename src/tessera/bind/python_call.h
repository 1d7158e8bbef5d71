/// Calls into the Python side of the package, looked up once.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// A borrowed reference to tessera.numpy.<name>, cached for good; throws ErrorAlreadySet when there is none.
PyObject* numpy_function(const char* name);
/// A borrowed reference to tessera._core.<name> or <name>.<attribute>, cached likewise.
PyObject* core_function(const char* name, const char* attribute = nullptr);
/// function(self, *args, **kwargs), without building tuples; throws nothing, null with the error set.
PyObject* call_with_self(PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
/// Whether a method forwards to the function called next, which must not look for a subclass's own method then.
inline bool called_by_method = false;
/// tessera.numpy.<name>(self, *args, **kwargs) with a METH_FASTCALL | METH_KEYWORDS method's arguments.
PyObject* forward_method(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
/// The same of a function that is at hand.
PyObject* forward_method(PyObject* function, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

}  // namespace tessera::bind
