/// The fast paths from an operator or an assignment to a recorded node.
#pragma once

#include <Python.h>

#include "tessera/graph/array.h"
#include "tessera/ops/op.h"

namespace tessera::bind {

/// Records op for two arrays of one shape and type, or for one array and a Python number that keeps its dtype.
/// Otherwise returns null with nothing done; the caller then takes the general path.
PyObject* try_record_binary(const ops::Op& op, PyObject* a, PyObject* b);
/// target[...] = value for an array of the target's shape and type, or for a Python number, where it is the next node
/// of a known loop; otherwise false with nothing done.
bool try_record_assign(const Array& target, PyObject* value);

}  // namespace tessera::bind
