/// Mapping between DType and NumPy's dtype objects.
#pragma once

#include <Python.h>

#include <optional>

#include "tessera/layout/dtype.h"

namespace tessera::bind {

/// The DType of a NumPy descriptor, whatever its byte order; nothing for object, string, datetime, structured,
/// longdouble.
std::optional<DType> dtype_of_descriptor(PyObject* descriptor);
/// True when the descriptor has the byte order of this machine.
bool is_native(PyObject* descriptor);
/// NumPy's type number.
int type_number(DType dtype);
/// The DType of a NumPy scalar's exact type, or nothing.
std::optional<DType> dtype_of_scalar_type(PyTypeObject* type);
/// A borrowed reference to the scalar type, such as numpy.float64 for float64.
PyTypeObject* scalar_type(DType dtype);
/// The DType of a NumPy dtype object, scalar type, Python type, or name; nothing when tessera does not compute with it.
std::optional<DType> to_dtype(PyObject* object);
/// New reference to the NumPy dtype object (ml_dtypes.bfloat16's for bfloat16).
PyObject* from_dtype(DType dtype);
/// Fills the tables; throws ErrorAlreadySet.
void load_dtypes();

}  // namespace tessera::bind
