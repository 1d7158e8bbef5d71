/// Elements on their way between NumPy's arrays and tessera's.
#pragma once

#include <Python.h>

#include "tessera/engine/array.h"

namespace tessera::bind {

/// The view a NumPy array has of its own memory, with offset 0 at its first element.
View view_of_numpy(PyObject* numpy, DType dtype);
/// A new array with the elements of a NumPy array, cast to dtype and brought to this machine's byte order.
Array copy_from_numpy(PyObject* numpy, DType dtype, Order order);
/// A new reference to a NumPy array over `data` laid out as `view` says; `owner` (may be null) is stolen as its base.
PyObject* numpy_over(void* data, const View& view, bool writeable, PyObject* owner);

}  // namespace tessera::bind
