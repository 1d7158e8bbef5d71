/// Small assignments: into settled host memory they are done at once, without a node or a plan.
#pragma once

#include <Python.h>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// destination[...] = source, broadcast and cast. False, with nothing done, when something is large, pending or
/// overlapping. The shapes must fit.
bool try_small_assign(const Array& destination, const Operand& source);

/// A new array with the elements of a small settled C-contiguous ndarray proper, cast; null where that is not enough.
PyObject* try_small_copy(PyObject* source, DType dtype);
/// A new array with the elements of source, cast: at once when it is small and settled, else recorded.
Array copy_array(const Array& source, DType dtype, Order order);

}  // namespace tessera::bind
