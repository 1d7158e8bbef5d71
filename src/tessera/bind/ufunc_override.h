/// NumPy's __array_ufunc__ protocol, as tessera's ufuncs ask it of operands of other classes.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// The answer of the first operand (subclasses before their bases) whose class overrides ufuncs: a new reference. Null,
/// without an error, when no class does. Throws TypeError when all decline.
PyObject* try_override(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

}  // namespace tessera::bind
