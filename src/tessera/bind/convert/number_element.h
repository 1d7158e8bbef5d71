/// The conversion of a Python number to an element where it loses nothing that must be reported.
#pragma once

#include <Python.h>

#include "tessera/layout/dtype.h"

namespace tessera::bind {

/// Converts a Python number that keeps the array's dtype to an element of it; false for other objects.
bool to_element(PyObject* object, DType dtype, Scalar& element);

}  // namespace tessera::bind
