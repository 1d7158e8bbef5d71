/// Conversion of objects of other classes that describe themselves as arrays: `__array__`, the buffer protocol, the
/// array interface.
#pragma once

#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/arguments.h"

namespace tessera::bind {

/// The array that an object's `__array__` returned; empty for objects without one.
struct GivenArray {
  Object array;          // tessera's or NumPy's
  bool is_copy = false;  // made for the caller, which requested a copy
};

/// Calls the object's `__array__(dtype, copy=...)` as NumPy does; not for arrays, numbers, sequences and objects that
/// describe their memory.
GivenArray array_given_by(PyObject* object, PyObject* dtype, CopyChoice mode);
/// Whether the object has a buffer or the array interface.
bool describes_memory(PyObject* object);
/// PyArray_FromAny; retried with NumPy arrays in place of elements of a sequence whose `__array__` returns tessera
/// arrays. Throws for more axes than `most_axes` unless it is 0.
Object read_by_numpy(PyObject* object, PyObject* descriptor, int flags, int most_axes = 0);
/// Throws NumPy's ValueError for copy=False where a copy is needed.
[[noreturn]] void refuse_copy();

}  // namespace tessera::bind
