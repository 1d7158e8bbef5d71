/// NumPy's override protocols, which let NumPy's ufuncs and functions run natively on tessera arrays.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// ndarray.__array_ufunc__(ufunc, method, *inputs, **kwargs).
PyObject* array_ufunc(PyObject* self, PyObject* args, PyObject* kwargs);
/// ndarray.__array_function__(func, types, args, kwargs).
PyObject* array_function(PyObject* self, PyObject* args, PyObject* names);

}  // namespace tessera::bind
