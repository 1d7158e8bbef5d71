/// The object behind ndarray.flags.
#pragma once

#include <Python.h>

#include <string_view>

#include "tessera/bind/ndarray.h"

namespace tessera::bind {

/// A new reference to the flags of an ndarray, which it keeps alive.
PyObject* make_flags(PyObject* ndarray);
/// Sets or clears writeability as NumPy allows it; throws ValueError where NumPy does.
void set_writeable(PyObject* ndarray, bool writeable);

/// What require_writeable does about an array that is not.
void warn_or_refuse(NdArray* array, std::string_view refusal);
/// Refuses to write to a read-only array, in these words; one that broadcast_arrays gave warns and is writeable from
/// then on.
inline void require_writeable(NdArray* array, std::string_view refusal) {
  if (!array->writeable) [[unlikely]]
    warn_or_refuse(array, refusal);
}

}  // namespace tessera::bind
