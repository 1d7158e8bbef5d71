/// The Python object returned by ndarray.flags.
#pragma once

#include <Python.h>

#include <string_view>

#include "tessera/bind/array/ndarray.h"

namespace tessera::bind {

/// A new reference to the flags object of an ndarray, which it keeps alive.
PyObject* make_flags(PyObject* ndarray);
/// Sets or clears writeability as NumPy allows it; throws ValueError where NumPy does.
void set_writeable(PyObject* ndarray, bool writeable);

/// Handles a write to an array that is not writeable, for require_writeable.
void warn_or_refuse(NdArray* array, std::string_view refusal);
/// Throws with the message `refusal` for a read-only array; a result of broadcast_arrays warns instead and is writeable
/// from then on.
inline void require_writeable(NdArray* array, std::string_view refusal) {
  if (!array->writeable) [[unlikely]]
    warn_or_refuse(array, refusal);
}

}  // namespace tessera::bind
