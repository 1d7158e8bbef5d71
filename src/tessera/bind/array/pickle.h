/// Pickling of arrays; protocol 5 passes the elements as an out-of-band buffer.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// ndarray.__reduce_ex__(protocol).
PyObject* reduce_array(PyObject* self, PyObject* protocol);
/// ndarray.__reduce__.
PyObject* reduce_array_plainly(PyObject* self, PyObject*);
/// ndarray.__setstate__((shape, dtype, order, bytes)), used by the pickles of subclasses.
PyObject* set_array_state(PyObject* self, PyObject* state);
/// The function that a pickle calls: _restore(class, shape, dtype, order, buffer).
PyObject* restore_array(PyObject* type, PyObject* shape, PyObject* dtype, PyObject* order, PyObject* buffer);

}  // namespace tessera::bind
