/// Which operand's class a ufunc's results take on: subclasses of ndarray, and what brings an `__array_wrap__` of its
/// own.
#pragma once

#include <Python.h>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// How NumPy's `__array_wrap__` is told of the call.
struct WrapContext {
  PyObject* ufunc;
  PyObject* arguments;  // a tuple of all operands
  int output;
  bool may_be_scalar;  // a result without axes may become one
};

/// The operand whose class decides, by `__array_priority__`; null when results are plain arrays. Borrowed.
PyObject* find_wrapper(PyObject* const* operands, size_t count);
/// The result in the wrapper's class, or what its own `__array_wrap__` makes of it; a new reference.
PyObject* wrap_in_class(PyObject* wrapper, Array result, const WrapContext& context);
/// Whether the object is of a subclass of ndarray with an `__array_wrap__` of its own.
bool has_own_wrap(PyObject* object);
/// What the `__array_wrap__` of an out= argument makes of it, once it holds the result; a new reference.
PyObject* wrap_output(PyObject* out, const WrapContext& context);

}  // namespace tessera::bind
