#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/interop/foreign_memory.h"

namespace tessera::bind {

namespace {

/// NumPy's own array, for elements or memory that the engine does not compute with.
PyObject* make_numpys(PyObject* args, PyObject* kwargs) {
  return checked(PyObject_Call(reinterpret_cast<PyObject*>(&PyArray_Type), args, kwargs));
}

bool is_shareable(PyObject* numpy) {
  auto* array = reinterpret_cast<PyArrayObject*>(numpy);
  auto* descriptor = reinterpret_cast<PyObject*>(PyArray_DESCR(array));
  return PyArray_ISALIGNED(array) && is_native(descriptor) && dtype_of_descriptor(descriptor);
}

/// ndarray(shape, dtype, buffer=...): NumPy checks that the view fits the buffer, then the memory of its array is
/// shared.
PyObject* over_buffer(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  Object numpy = owned(make_numpys(args, kwargs));
  if (type == ndarray_type && !is_shareable(numpy.get())) return numpy.release();
  bool writeable = PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(numpy.get()));
  Array array = share_numpy(numpy.get());
  Object base = Object::borrowed(PyArray_BASE(reinterpret_cast<PyArrayObject*>(numpy.get())));
  return wrap_as(type, std::move(array), base.get(), writeable, nullptr);
}

}  // namespace

PyObject* make_ndarray(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* const names[] = {"shape", "dtype", "buffer", "offset", "strides", "order", nullptr};
  PyObject *shape, *dtype = nullptr, *buffer = nullptr, *offset = nullptr, *strides = nullptr, *order = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOOOO:ndarray", const_cast<char**>(names), &shape, &dtype, &buffer,
                                   &offset, &strides, &order)) {
    return nullptr;
  }
  return guarded([&] {
    if (!is_none(buffer) || !is_none(strides)) return over_buffer(type, args, kwargs);
    std::optional<DType> element = is_none(dtype) ? DType::float64 : to_dtype(dtype);
    if (!element && type == ndarray_type) return make_numpys(args, kwargs);
    require<TypeError>(element.has_value(), "ndarray: tessera has no arrays of this dtype");
    Dims extents = to_dims(shape);
    Array array = Engine::instance().empty(extents, *element, to_order(order, Order::c));
    return wrap_as(type, std::move(array), nullptr, true, nullptr);
  });
}

}  // namespace tessera::bind
