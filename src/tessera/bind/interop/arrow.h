/// Arrow's capsules: one-axis arrays for pyarrow, polars, DuckDB and others, without a copy from host memory.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// ndarray.__arrow_c_schema__().
PyObject* export_arrow_schema(PyObject* self, PyObject*);
/// ndarray.__arrow_c_array__(requested_schema=None): capsules of a schema and an array.
PyObject* export_arrow_array(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
/// ndarray.__arrow_c_stream__(requested_schema=None): a capsule of a stream of one chunk.
PyObject* export_arrow_stream(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names);

}  // namespace tessera::bind
