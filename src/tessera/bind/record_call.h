/// The shortest ways from an operator or an assignment to a recorded node.
#pragma once

#include <Python.h>

#include "tessera/engine/array.h"
#include "tessera/ops/op.h"

namespace tessera::bind {

/// Records op for two arrays of one shape and type, or for one and a Python number of its kind. Null, with nothing
/// done, for everything else, which the general way takes.
PyObject* try_record_binary(const ops::Op& op, PyObject* a, PyObject* b);
/// target[...] = value of an array of the target's shape and type, or of a Python number, where it comes next in a
/// known loop; false, with nothing done, for everything else.
bool try_record_assign(const Array& target, PyObject* value);

}  // namespace tessera::bind
