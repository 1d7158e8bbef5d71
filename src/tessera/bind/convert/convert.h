/// Conversions between Python objects and engine values.
#pragma once

#include <Python.h>

#include <optional>

#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

/// The outcome of a conversion. `foreign`: a NumPy array (or anything NumPy converts to one) whose dtype tessera does
/// not compute with (object, string, datetime, structured, longdouble); callers fall back to NumPy.
enum class Conversion { done, foreign };

/// ndarray: itself; Python bool/int/float/complex: a weak scalar (bool is strong, as in NumPy); NumPy scalar: a strong
/// scalar, or a 0-d array while it is lazy; NumPy array and sequences: copied into a new array. Throws Error for what
/// NumPy rejects.
Conversion to_operand(PyObject* object, std::optional<Operand>& operand);
/// Any Python or NumPy scalar as one element; nothing when the object is not a scalar (or is an int wider than 64
/// bits).
std::optional<Scalar> python_scalar(PyObject* object);
/// Converts the object as numpy.asarray does; sequences become arrays of the dtype that NumPy chooses.
Conversion to_array(PyObject* object, std::optional<DType> dtype, Array& array);
/// New reference to the NumPy array sharing this array's memory (settles and pins it while the result lives).
PyObject* to_numpy(PyObject* ndarray);

}  // namespace tessera::bind
