/// The class of a ufunc's results, chosen among the operands: subclasses of ndarray, and classes with an
/// `__array_wrap__` of their own.
#pragma once

#include <Python.h>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// What `__array_wrap__` receives about the call.
struct WrapContext {
  PyObject* ufunc;
  PyObject* arguments;  // a tuple of all operands
  int output;
  bool may_be_scalar;  // a result without axes may become a scalar
};

/// A function's result as NumPy returns it for an array of a subclass: an array or a NumPy scalar becomes an instance
/// of parent's class. Takes ownership of `result`, which may be null, and returns a new reference.
PyObject* in_class_of(PyObject* parent, PyObject* result);
/// The operand whose class the results take, by `__array_priority__`; null when results are plain arrays. Borrowed.
PyObject* find_wrapper(PyObject* const* operands, size_t count);
/// The result in the wrapper's class, or what the wrapper's own `__array_wrap__` returns for it; a new reference.
PyObject* wrap_in_class(PyObject* wrapper, Array result, const WrapContext& context);
/// Whether the object is of a subclass of ndarray with an `__array_wrap__` of its own.
bool has_own_wrap(PyObject* object);
/// What the `__array_wrap__` of an out= argument returns for it once it holds the result; a new reference.
PyObject* wrap_output(PyObject* out, const WrapContext& context);

}  // namespace tessera::bind
