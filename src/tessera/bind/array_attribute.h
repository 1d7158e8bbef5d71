/// What an object of another class says of itself as an array: `__array__`, the buffer protocol, the array interface.
#pragma once

#include "tessera/bind/arguments.h"
#include "tessera/bind/object.h"

namespace tessera::bind {

/// An array that an object's `__array__` gave; empty for objects without one.
struct GivenArray {
  Object array;          // tessera's or NumPy's
  bool is_copy = false;  // made for the caller, who asked for a copy
};

/// Calls the object's `__array__(dtype, copy=...)` as NumPy does: arrays, numbers, sequences and what describes its
/// memory are not asked.
GivenArray array_given_by(PyObject* object, PyObject* dtype, CopyChoice mode);
/// Whether the object has a buffer or the array interface.
bool describes_memory(PyObject* object);
/// PyArray_FromAny, and once more with NumPy's arrays for what gives ours inside of sequences; refuses more axes than
/// `most_axes` unless 0.
Object read_by_numpy(PyObject* object, PyObject* descriptor, int flags, int most_axes = 0);
/// Throws NumPy's words for copy=False where a copy is needed.
[[noreturn]] void refuse_copy();

}  // namespace tessera::bind
