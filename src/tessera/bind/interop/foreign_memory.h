/// Memory shared with NumPy: arrays that view the elements of an existing NumPy array.
#pragma once

#include <Python.h>

#include "tessera/graph/array.h"

namespace tessera::bind {

/// An array over a NumPy array's memory, which it keeps alive and at its address; throws ValueError for dtypes tessera
/// lacks.
Array share_numpy(PyObject* numpy);

}  // namespace tessera::bind
