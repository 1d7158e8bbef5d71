/// The object behind ndarray.flags.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// A new reference to the flags of an ndarray, which it keeps alive.
PyObject* make_flags(PyObject* ndarray);
/// Sets or clears writeability as NumPy allows it; throws ValueError where NumPy does.
void set_writeable(PyObject* ndarray, bool writeable);

}  // namespace tessera::bind
