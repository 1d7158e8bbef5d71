/// The Python object returned by ndarray.flat.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// A new reference to the flat iterator of an ndarray, which it keeps alive.
PyObject* make_flat_iterator(PyObject* ndarray);
/// array.flat[key] = value; a shorter value is repeated, as NumPy does.
void assign_flat(PyObject* ndarray, PyObject* key, PyObject* value);

}  // namespace tessera::bind
