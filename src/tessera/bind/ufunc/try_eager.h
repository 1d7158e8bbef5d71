/// The first way of a ufunc call: at once, on Python objects that hold small settled elements.
#pragma once

#include <Python.h>

#include "tessera/ops/op.h"

namespace tessera::bind {

/// op(args...) when the operands are small settled contiguous arrays of one shape and plain numbers, or only doubles;
/// `out` (any object, or null) receives the result if it is such an array too. A new reference; null, with nothing
/// done, otherwise.
PyObject* try_eager(const ops::Op& op, PyObject* const* args, PyObject* out);

}  // namespace tessera::bind
