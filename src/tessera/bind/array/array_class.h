/// The metaclass of ndarray: `isinstance(x, ndarray)` also holds for NumPy's arrays.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// A subclass of abc.ABCMeta, so that classes derived from ndarray may also have abstract bases. A borrowed reference.
PyTypeObject* array_class();

}  // namespace tessera::bind
