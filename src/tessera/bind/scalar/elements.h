/// Access to single elements, which must cost no more than in NumPy.
#pragma once

#include <Python.h>

#include "tessera/bind/array/ndarray.h"

namespace tessera::bind {

/// Stores a Python object into one element as NumPy converts it; throws ErrorAlreadySet.
void store_element(char* element, DType dtype, PyObject* value);
/// The element `bytes_from_start` bytes after the view's first one, as a NumPy scalar.
PyObject* load_element(NdArray* self, int64_t bytes_from_start);
/// The element as array.tolist() returns it: a Python bool, int, float or complex.
PyObject* make_python_scalar(DType dtype, const void* bytes);

}  // namespace tessera::bind
