/// Copies and views between NumPy's arrays and tessera's.
#pragma once

#include <Python.h>

#include "tessera/graph/array.h"

namespace tessera::bind {

/// The view of a NumPy array's own memory, with offset 0 at its first element.
View view_of_numpy(PyObject* numpy, DType dtype);
/// A new array with the elements of a NumPy array, cast to dtype and converted to this machine's byte order.
Array copy_from_numpy(PyObject* numpy, DType dtype, Order order);
/// A new reference to a NumPy array over `data` with the layout of `view`; `owner` (may be null) is stolen as its base.
PyObject* numpy_over(void* data, const View& view, bool writeable, PyObject* owner);

}  // namespace tessera::bind
