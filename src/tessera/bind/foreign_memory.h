/// Memory shared with NumPy: arrays that view an existing NumPy array's elements.
#pragma once

#include <Python.h>

#include "tessera/engine/array.h"

namespace tessera::bind {

/// An array over a NumPy array's memory, which stays alive and in place; throws ValueError for dtypes tessera lacks.
Array share_numpy(PyObject* numpy);

}  // namespace tessera::bind
