#include "tessera/bind/convert/numpy_copy.h"

#include <algorithm>
#include <cstring>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/booleans.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/interop/pin.h"

namespace tessera::bind {

View view_of_numpy(PyObject* numpy, DType dtype) {
  auto* array = reinterpret_cast<PyArrayObject*>(numpy);
  auto ndim = static_cast<size_t>(PyArray_NDIM(array));
  View view;
  view.dtype = dtype;
  view.shape = Dims(std::span<const int64_t>(PyArray_DIMS(array), ndim));
  view.strides = Dims(std::span<const int64_t>(PyArray_STRIDES(array), ndim));
  return view;
}

Array copy_from_numpy(PyObject* numpy, DType dtype, Order order) {
  auto* source = reinterpret_cast<PyArrayObject*>(numpy);
  PyObject* descriptor = reinterpret_cast<PyObject*>(PyArray_DESCR(source));
  View view = view_of_numpy(numpy, dtype);
  bool same_bytes = is_native(descriptor) && dtype_of_descriptor(descriptor) == dtype;
  auto* elements = static_cast<const char*>(PyArray_DATA(source));
  if (same_bytes && PyArray_IS_C_CONTIGUOUS(source) && order != Order::f) {
    return with_plain_booleans(Engine::instance().copy_of(elements, View::contiguous(view.shape, dtype)));
  }
  if (same_bytes && PyArray_IS_F_CONTIGUOUS(source) && order != Order::c) {
    return with_plain_booleans(Engine::instance().copy_of(elements, View::contiguous(view.shape, dtype, Order::f)));
  }
  Array result = Engine::instance().empty(view.shape, dtype, order, &view);
  char* data = Engine::instance().write(result);
  Object target(numpy_over(data, result.view, true, nullptr));
  checked(PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(target.get()), source));
  return with_plain_booleans(std::move(result));
}

PyObject* numpy_over(void* data, const View& view, bool writeable, PyObject* owner) {
  Object keep(owner);
  auto* descriptor = reinterpret_cast<PyArray_Descr*>(from_dtype(view.dtype));
  Object result = owned(PyArray_NewFromDescr(&PyArray_Type, descriptor, view.ndim(), view.shape.data(),
                                             view.strides.data(), data, writeable ? NPY_ARRAY_WRITEABLE : 0, nullptr));
  auto* array = reinterpret_cast<PyArrayObject*>(result.get());
  if (keep) checked(PyArray_SetBaseObject(array, keep.release()));
  PyArray_UpdateFlags(array, NPY_ARRAY_UPDATE_ALL);
  return result.release();
}

PyObject* to_numpy(PyObject* ndarray) {
  NdArray* self = as_ndarray(ndarray);
  // NumPy cannot share memory that another library uses on a device.
  const Array array = Engine::instance().devices().is_lent(self->array)
                          ? copy_array(self->array, self->array.dtype(), Order::k)
                          : self->array;
  Object pin(make_pin(array));
  char* data = const_cast<char*>(synchronise(array));
  return numpy_over(data, array.view, self->writeable, pin.release());
}

}  // namespace tessera::bind
