/// einsum of small arrays, parsed and computed without entering Python code.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// einsum(subscripts, a, ...) of settled arrays of one dtype, for few products and plain subscripts; null without an
/// error for every other call.
PyObject* einsum_shortcut(PyObject* const* args, Py_ssize_t nargs);

}  // namespace tessera::bind
