/// LazyScalar: an object in place of a NumPy scalar whose value has not yet arrived from a device.
#pragma once

#include <Python.h>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// One type for each dtype; instances report NumPy's scalar type as `__class__`. They are not subclasses, because C
/// code that reads NumPy scalars by layout would not wait for the value. Immutable; the first use that needs the value
/// synchronises and keeps the true scalar.
struct LazyScalar {
  PyObject_HEAD Array array;  // 0-d; empty once the value is known
  PyObject* value;            // NumPy's scalar, or null
  // The input of a full sum or product, kept so that synchronisation can report whether it overflowed.
  PyObject* source;   // a weak reference to the array that owns the memory; null: no report is needed
  View view;          // of that memory
  uint32_t contents;  // Version::watched of the storage at that time
  Context context;
  int place;  // index in the table of recently watched totals, or -1
};

extern PyTypeObject lazy_types[dtype_count];
inline bool is_lazy(PyObject* object) {
  return Py_TYPE(object) >= lazy_types && Py_TYPE(object) < lazy_types + dtype_count;
}
inline LazyScalar* as_lazy(PyObject* object) { return reinterpret_cast<LazyScalar*>(object); }
inline DType lazy_dtype(PyObject* object) { return static_cast<DType>(Py_TYPE(object) - lazy_types); }
/// The 0-d array of a lazy scalar that is not synchronised yet; null for all other objects.
inline const Array* pending_scalar(PyObject* object) {
  return is_lazy(object) && !as_lazy(object)->value ? &as_lazy(object)->array : nullptr;
}

/// Whether waiting for the 0-d array's value may be postponed: it comes from a device, and its floating-point events
/// only warn.
bool may_be_lazy(const Array& array);
/// A new reference to a lazy scalar of such an array, or null.
PyObject* try_lazy_scalar(const Array& array);
/// The true scalar (borrowed); waits for it if necessary. Throws.
PyObject* true_scalar(PyObject* lazy);
/// The object, or the true scalar of a lazy one (borrowed). Throws.
inline PyObject* without_laziness(PyObject* object) { return is_lazy(object) ? true_scalar(object) : object; }
/// Makes synchronisation report overflow and invalid values in the full reduction of `source` that gave this scalar.
/// Throws.
void watch_total(PyObject* lazy, PyObject* source, const Context& context);
/// Removes a watched total that is freed or synchronised.
void forget_total(LazyScalar& lazy);
/// Synchronises the recently watched totals, so that their warnings are issued where a block of warning filters begins
/// or ends. Throws.
void check_totals();
/// `lazy.__array_ufunc__`: handles a call of NumPy's ufunc with a lazy scalar.
PyObject* lazy_array_ufunc(PyObject* self, PyObject* args, PyObject* kwargs);  // override.cpp

extern PyNumberMethods lazy_numbers, lazy_integers;  // the latter with __index__; lazy_scalar_numbers.cpp
/// Completes the types and adds is_lazy() to the module; throws ErrorAlreadySet.
void load_lazy_types(PyObject* module);

}  // namespace tessera::bind
