/// Small advanced indices: one index array or mask on a settled array, handled immediately without the general path.
#pragma once

#include <Python.h>

#include "tessera/bind/array/ndarray.h"

namespace tessera::bind {

/// self[key] for a small int64 array; null without an error when the general path is needed.
PyObject* try_small_pick(NdArray* self, PyObject* key);
/// self[key] = number, or an array of one for each element, for a small int64 or boolean array on a 1-d self; false,
/// with nothing done, when the general path is needed.
bool try_small_put(NdArray* self, PyObject* key, PyObject* value);
/// The same for an index array with one value for each index.
bool try_small_put(const Array& to, const Array& index, const Array& values);
/// The elements of a 1-d array at small int64 indices; null when the general path is needed.
Array try_small_take(const Array& array, const Array& index);

}  // namespace tessera::bind
