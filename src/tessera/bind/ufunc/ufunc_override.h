/// NumPy's __array_ufunc__ protocol: tessera's ufuncs defer to operands of other classes.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// The result of the first operand (subclasses before their bases) whose class overrides ufuncs: a new reference. Null,
/// without an error, when no class does. Throws TypeError when all return NotImplemented.
PyObject* try_override(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

}  // namespace tessera::bind
