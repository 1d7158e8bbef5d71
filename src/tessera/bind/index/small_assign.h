/// Small assignments: done immediately in settled host memory, without a node or a plan.
#pragma once

#include <Python.h>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// destination[...] = source, broadcast and cast. False, with nothing done, when an array is large or pending or the
/// two overlap. The shapes must be compatible.
bool try_small_assign(const Array& destination, const Operand& source);

/// A new array with the elements of a small settled C-contiguous exact ndarray, cast; null for other objects.
PyObject* try_small_copy(PyObject* source, DType dtype);
/// A new array with the elements of source, cast: immediately when it is small and settled, else recorded.
Array copy_array(const Array& source, DType dtype, Order order);

}  // namespace tessera::bind
