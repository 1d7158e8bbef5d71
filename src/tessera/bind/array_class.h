/// The class of ndarray itself: `isinstance(x, ndarray)` holds for NumPy's arrays, too.
#pragma once

#include <Python.h>

namespace tessera::bind {

/// A subclass of abc.ABCMeta, so that classes derived from ndarray may have abstract bases besides. A borrowed
/// reference.
PyTypeObject* array_class();

}  // namespace tessera::bind
