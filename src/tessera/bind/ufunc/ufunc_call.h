/// Application of an op to Python objects by slots and methods, without a ufunc object in between.
#pragma once

#include <Python.h>

#include "tessera/ops/op.h"

namespace tessera::bind {

/// op(a, b) or op(a): a new reference, or null with the Python error set. `out` (an ndarray, or null) receives the
/// result and is returned, as in-place operators need. Settled small arrays run immediately; the rest is recorded.
PyObject* call_binary(const ops::Op& op, PyObject* a, PyObject* b, PyObject* out = nullptr);
PyObject* call_unary(const ops::Op& op, PyObject* a, PyObject* out = nullptr);

/// Only the fast path: a new reference when it applies and succeeds; else null, with the Python error set if it failed.
PyObject* try_fast_call(const ops::Op& op, PyObject* const* args, Py_ssize_t nargs, PyObject* out = nullptr);

}  // namespace tessera::bind
