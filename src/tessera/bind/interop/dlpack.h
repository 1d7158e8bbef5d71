/// DLPack export and import: arrays exchanged with other libraries without a copy.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// ndarray.__dlpack__(*, stream, max_version, dl_device, copy).
PyObject* export_dlpack(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
/// ndarray.__dlpack_device__().
PyObject* dlpack_device(PyObject* self, PyObject*);

}  // namespace tessera::bind
