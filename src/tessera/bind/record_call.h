/// The shortest way from a binary operator to a recorded node.
#pragma once

#include <Python.h>

#include "tessera/ops/op.h"

namespace tessera::bind {

/// Records op for two arrays of one shape and type, or for one and a Python number of its kind. Null, with nothing done,
/// for everything else, which the general way takes.
PyObject* try_record_binary(const ops::Op& op, PyObject* a, PyObject* b);

}  // namespace tessera::bind
