/// Small advanced indices: one index array or mask on a settled array, done at once without the general machinery.
#pragma once

#include <Python.h>

#include "tessera/bind/ndarray.h"

namespace tessera::bind {

/// self[key] for an int64 array of few numbers; null without an error when the long way must be taken.
PyObject* try_small_pick(NdArray* self, PyObject* key);
/// self[key] = number for a small int64 or boolean array on a 1-d self; false, with nothing done, likewise.
bool try_small_put(NdArray* self, PyObject* key, PyObject* value);

}  // namespace tessera::bind
