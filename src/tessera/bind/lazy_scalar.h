/// LazyScalar: what stands for a NumPy scalar while its value is still to come from a device.
#pragma once

#include <Python.h>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// One type a dtype, whose instances say by `__class__` that they are NumPy's scalars: C code that reads those by their
/// layout would not wait, so they cannot be. Immutable; whatever looks brings the true scalar, which is kept.
struct LazyScalar {
  PyObject_HEAD Array array;  // of no axes; empty once the value is known
  PyObject* value;            // NumPy's scalar, or null
  // What a full sum or product was made of, to tell at the look whether it overflowed.
  PyObject* source;   // a weak reference to the array that owns the memory; null: nobody asks
  View view;          // of that memory
  uint32_t contents;  // the number of what it had then
  Context context;
  int place;  // among the totals that were watched last, or -1
};

extern PyTypeObject lazy_types[dtype_count];
inline bool is_lazy(PyObject* object) {
  return Py_TYPE(object) >= lazy_types && Py_TYPE(object) < lazy_types + dtype_count;
}
inline LazyScalar* as_lazy(PyObject* object) { return reinterpret_cast<LazyScalar*>(object); }
inline DType lazy_dtype(PyObject* object) { return static_cast<DType>(Py_TYPE(object) - lazy_types); }
/// The 0-d array of a lazy scalar that nobody has looked at; null for all other objects.
inline const Array* pending_scalar(PyObject* object) {
  return is_lazy(object) && !as_lazy(object)->value ? &as_lazy(object)->array : nullptr;
}

/// Whether the 0-d array's value may be waited for later: it comes from a device, and events on the way only warn.
bool may_be_lazy(const Array& array);
/// A new reference to a lazy scalar of such an array, or null.
PyObject* try_lazy_scalar(const Array& array);
/// The true scalar (borrowed), waited for when it has to be. Throws.
PyObject* true_scalar(PyObject* lazy);
/// The object, or the true scalar of a lazy one (borrowed). Throws.
inline PyObject* without_laziness(PyObject* object) { return is_lazy(object) ? true_scalar(object) : object; }
/// Has the look tell of overflow and of invalid values in the fold of all of `source` that gave this. Throws.
void watch_total(PyObject* lazy, PyObject* source, const Context& context);
/// A watched total that nobody can look at any more, or that was looked at.
void forget_total(LazyScalar& lazy);
/// Looks at the totals that were watched last, so that warnings come where a block of filters begins or ends. Throws.
void check_totals();
/// `lazy.__array_ufunc__`: NumPy's ufunc was called with it.
PyObject* lazy_array_ufunc(PyObject* self, PyObject* args, PyObject* kwargs);  // override.cpp

extern PyNumberMethods lazy_numbers, lazy_integers;  // the latter with an index; lazy_scalar_numbers.cpp
/// Completes the types and adds is_lazy() to the module; throws ErrorAlreadySet.
void load_lazy_types(PyObject* module);

}  // namespace tessera::bind
