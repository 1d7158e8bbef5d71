/// The ways of a ufunc call, for operators and ufunc objects alike.
#pragma once

#include <Python.h>

#include "tessera/ops/op.h"

namespace tessera::bind {

/// op(args...) with vectorcall arguments: a new reference. Throws.
PyObject* call_ufunc(const ops::Op& op, PyObject* const* args, Py_ssize_t nargs, PyObject* names);
/// op(a, b) or op(a): a new reference, or null with the Python error set. `out` (an ndarray, or null) receives the
/// result and is returned, as in-place operators need.
PyObject* call_binary(const ops::Op& op, PyObject* a, PyObject* b, PyObject* out = nullptr);
PyObject* call_unary(const ops::Op& op, PyObject* a, PyObject* out = nullptr);

}  // namespace tessera::bind
