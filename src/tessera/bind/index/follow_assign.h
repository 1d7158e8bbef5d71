/// Assignments that are the next node of a known loop.
#pragma once

#include <Python.h>

#include "tessera/graph/array.h"

namespace tessera::bind {

/// target[...] = value for an array of the target's shape and type, or for a Python number, where it is the next node
/// of a known loop; otherwise false with nothing done.
bool try_follow_assign(const Array& target, PyObject* value);

}  // namespace tessera::bind
