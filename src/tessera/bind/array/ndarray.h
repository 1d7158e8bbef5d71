/// NdArray: the Python array object, and the functions with which the rest of `bind` creates and recognises it.
#pragma once

#include <Python.h>

#include <new>

#include "tessera/engine/engine.h"

namespace tessera::bind {

/// A C type with slots and a freelist for speed; nanobind is used only where call overhead does not matter.
struct NdArray {
  PyObject_HEAD Array array;
  PyObject* base;  // what NumPy's `.base` returns: the array this one views, or the owner of foreign memory
  PyObject* weakrefs;
  bool writeable;
  bool warns_on_write;  // a write warns and makes the array writeable, for results of broadcast_arrays
};

extern PyTypeObject ndarray_type_object;
inline PyTypeObject* const ndarray_type = &ndarray_type_object;

inline bool is_ndarray(PyObject* object) { return PyObject_TypeCheck(object, ndarray_type); }
/// Whether the object is an instance of a class derived from ndarray.
inline bool is_derived(PyObject* object) { return Py_TYPE(object) != ndarray_type && is_ndarray(object); }
inline NdArray* as_ndarray(PyObject* object) { return reinterpret_cast<NdArray*>(object); }

/// An exact ndarray with only its reference count initialised; discard_ndarray frees it in that state.
PyObject* allocate_ndarray();
void discard_ndarray(PyObject* object);
/// A new reference to a new ndarray whose array make(place) has constructed at `place`; null when make returns false.
template <class Make>
PyObject* try_wrap_made(Make&& make) {
  PyObject* object = allocate_ndarray();
  NdArray* self = as_ndarray(object);
  bool made = false;
  try {
    made = make(&self->array);
  } catch (...) {
    discard_ndarray(object);
    throw;
  }
  if (!made) return discard_ndarray(object), nullptr;
  self->base = nullptr;
  self->weakrefs = nullptr;
  self->writeable = true;
  self->warns_on_write = false;
  return object;
}
/// The same for the array that make() returns.
template <class Make>
PyObject* wrap_made(Make&& make) {
  return try_wrap_made([&](void* place) { return new (place) Array(make()), true; });
}
/// A new reference to a new ndarray. `base` is borrowed and may be null: the array then owns its storage.
PyObject* wrap(Array array, PyObject* base = nullptr, bool writeable = true);
/// The same as an instance of a subclass; calls __array_finalize__(parent) when the subclass has one.
PyObject* wrap_as(PyTypeObject* type, Array array, PyObject* base, bool writeable, PyObject* parent);
/// A new reference to a view of parent: its type, its writeability, and NumPy's choice of base.
PyObject* wrap_view(NdArray* parent, View view);
/// The same in two steps, for an exact ndarray: the caller fills in the view's shape and strides, which are empty.
NdArray* begin_view(NdArray* parent);
/// A new settled C-contiguous array shaped like `like`; its elements are not set.
NdArray* new_contiguous(const View& like, DType dtype);
/// A ufunc's result as NumPy returns it: a NumPy scalar (numpy.float64, ...), possibly a lazy one, when 0-d, else
/// wrap().
PyObject* wrap_result(Array array);
/// One element as a NumPy scalar object.
PyObject* make_numpy_scalar(DType dtype, const void* bytes);
/// Completes the type and adds it to the module.
void load_ndarray_type(PyObject* module);

}  // namespace tessera::bind
