/// Single elements: the accesses that must cost no more than NumPy's.
#pragma once

#include <Python.h>

#include "tessera/bind/ndarray.h"

namespace tessera::bind {

/// The start of the storage when its contents can be read now, else null: nothing is recorded or settled.
inline const char* readable(const Array& array) {
  const graph::Version* version = array.storage->current.get();
  return version && version->settled() ? version->data : nullptr;
}

/// The same for writing: null also while others still have to see the old contents.
inline char* writable(const Array& array) {
  const graph::Version* version = array.storage->current.get();
  bool alone =
      version && version->settled() && version->uses == 0 && version->references() == 1 && !version->device_memory;
  return alone ? version->data : nullptr;
}

/// Stores a Python object into one element as NumPy converts it; throws ErrorAlreadySet.
void store_element(char* element, DType dtype, PyObject* value);
/// The element `bytes_from_start` bytes after the view's first one, as a NumPy scalar.
PyObject* load_element(NdArray* self, int64_t bytes_from_start);
/// array.tolist()'s element: a Python bool, int, float or complex.
PyObject* make_python_scalar(DType dtype, const void* bytes);

}  // namespace tessera::bind
