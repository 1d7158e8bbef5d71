/// The first way of a ufunc call: at once, on Python objects that hold small settled elements.
#pragma once

#include <Python.h>

#include "tessera/ops/op.h"

namespace tessera::bind {

/// op(args...) when the operands are settled arrays of one shape and at most `most` elements, each in a row
/// (eager/flat_call.h), and plain numbers, or only doubles; `out` (any object, or null) receives the result if it is
/// such an array too. A new reference; null, with nothing done, otherwise.
PyObject* try_eager(const ops::Op& op, PyObject* const* args, PyObject* out, int64_t most);

}  // namespace tessera::bind
