#include "tessera/bind/array/ndarray.h"

#include <algorithm>
#include <array>
#include <new>

#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/eager/host_memory.h"

namespace tessera::bind {

namespace {

// Array objects are created and freed by every expression. Guarded by the GIL.
constexpr int freelist_limit = 128;
std::array<PyObject*, freelist_limit> freelist;
int freelist_size = 0;

PyObject* fill_object(PyObject* object, Array&& array, PyObject* base, bool writeable) {
  NdArray* self = as_ndarray(object);
  new (&self->array) Array(std::move(array));
  self->base = Py_XNewRef(base);
  self->weakrefs = nullptr;
  self->writeable = writeable;
  self->warns_on_write = false;
  return object;
}

/// Calls the subclass's __array_finalize__ unless it is ndarray's or None.
void finalize(PyObject* array, PyObject* parent) {
  static constinit Interned name("__array_finalize__");
  static constinit Kept inherited;
  PyObject* own = inherited.get([] { return PyObject_GetAttr(reinterpret_cast<PyObject*>(ndarray_type), name); });
  Object hook = owned(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(array)), name));
  if (hook.get() == own || hook.get() == Py_None) return;
  owned(PyObject_CallFunctionObjArgs(hook.get(), array, parent ? parent : Py_None, nullptr));
}

/// A view of a view refers to the array that owns the memory, unless an array of another class is in between.
PyObject* view_base(PyObject* parent) {
  PyObject* base = parent;
  while (as_ndarray(base)->base && Py_TYPE(as_ndarray(base)->base) == Py_TYPE(parent)) base = as_ndarray(base)->base;
  return base;
}

}  // namespace

PyObject* allocate_ndarray() {
  if (freelist_size == 0) [[unlikely]]
    return checked(ndarray_type_object.tp_alloc(ndarray_type, 0));
  PyObject* object = freelist[--freelist_size];
  _Py_NewReference(object);
  return object;
}

void discard_ndarray(PyObject* object) {
  if (Py_TYPE(object) == ndarray_type && freelist_size < freelist_limit) [[likely]] {
    freelist[freelist_size++] = object;
    return;
  }
  Py_TYPE(object)->tp_free(object);
}

PyObject* wrap(Array array, PyObject* base, bool writeable) {
  return guarded([&] { return fill_object(allocate_ndarray(), std::move(array), base, writeable); });
}

PyObject* wrap_as(PyTypeObject* type, Array array, PyObject* base, bool writeable, PyObject* parent) {
  if (type == ndarray_type) return wrap(std::move(array), base, writeable);
  return guarded([&] {
    Object result(fill_object(checked(type->tp_alloc(type, 0)), std::move(array), base, writeable));
    finalize(result.get(), parent);
    return result.release();
  });
}

PyObject* wrap_view(NdArray* parent, View view) {
  PyObject* object = reinterpret_cast<PyObject*>(parent);
  return wrap_as(Py_TYPE(object), parent->array.with_view(std::move(view)), view_base(object), parent->writeable,
                 object);
}

NdArray* begin_view(NdArray* parent) {
  PyObject* object = allocate_ndarray();
  NdArray* self = as_ndarray(object);
  new (&self->array) Array{parent->array.storage, View{}};
  self->array.view.offset = parent->array.view.offset;
  self->array.view.dtype = parent->array.view.dtype;
  self->base = Py_NewRef(view_base(reinterpret_cast<PyObject*>(parent)));
  self->weakrefs = nullptr;
  self->writeable = parent->writeable;
  self->warns_on_write = parent->warns_on_write;
  return self;
}

NdArray* new_contiguous(const View& like, DType dtype) {
  int64_t step = itemsize(dtype);
  Ref<graph::Version> version = eager::make_settled(like.size() * step);
  NdArray* self = as_ndarray(allocate_ndarray());
  new (&self->array) Array{Ref<graph::Storage>(graph::Storage::make()), View{}};
  self->array.storage->current = std::move(version);
  View& view = self->array.view;
  view.shape = like.shape;
  view.dtype = dtype;
  view.strides.resize_for_overwrite(view.shape.size());
  for (size_t axis = view.shape.size(); axis-- > 0; step *= view.shape[axis]) view.strides[axis] = step;
  if (step == 0) std::fill(view.strides.begin(), view.strides.end(), 0);  // as in View::contiguous
  self->base = nullptr;
  self->weakrefs = nullptr;
  self->writeable = true;
  self->warns_on_write = false;
  return self;
}

}  // namespace tessera::bind
