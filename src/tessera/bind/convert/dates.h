/// NumPy's dtypes of dates and spans of time, as units of the compiler's.
#pragma once

#include <Python.h>

#include <cstdint>

#include "tessera/kernel/types/dates.h"

namespace tessera::bind {

/// The unit of a native datetime64 or timedelta64 descriptor; 0 for others, multiples of a unit among them.
kernel::Unit unit_of_descriptor(PyObject* descriptor);
/// The same of a NumPy scalar, whose value is stored.
kernel::Unit unit_of_number(PyObject* scalar, int64_t& value);
/// A new reference to the descriptor.
PyObject* descriptor_of(kernel::Unit unit);
/// A new reference: a NumPy scalar of this unit.
PyObject* make_date(kernel::Unit unit, int64_t value);
/// A new reference: NumPy's array as one of this unit, or of 0 as one of int64 where it is one of dates, in the same
/// memory.
PyObject* as_dates(kernel::Unit unit, PyObject* array);

}  // namespace tessera::bind
