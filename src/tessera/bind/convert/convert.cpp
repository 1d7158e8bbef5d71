#include "tessera/bind/convert/convert.h"

#include <cstring>

#include "tessera/bind/array/array_attribute.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/interop/foreign_device.h"
#include "tessera/bind/scalar/lazy_scalar.h"

namespace tessera::bind {

namespace {

template <class T>
Scalar make_scalar(DType dtype, T value) {
  Scalar scalar;
  scalar.dtype = dtype;
  std::memcpy(scalar.bytes, &value, sizeof value);
  return scalar;
}

/// A Python int as int64, else uint64; nothing when it fits neither.
std::optional<Scalar> int_scalar(PyObject* object) {
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) return make_scalar(DType::int64, value);
  if (overflow < 0) return std::nullopt;
  uint64_t wide = PyLong_AsUnsignedLongLong(object);
  if (wide == static_cast<uint64_t>(-1) && PyErr_Occurred()) {
    PyErr_Clear();
    return std::nullopt;
  }
  return make_scalar(DType::uint64, wide);
}

std::complex<double> complex_value(PyObject* object) {
  Py_complex value = PyComplex_AsCComplex(object);
  return {value.real, value.imag};
}

std::optional<Scalar> numpy_scalar(PyObject* object) {
  auto dtype = dtype_of_scalar_type(Py_TYPE(object));
  if (!dtype) return std::nullopt;
  Scalar scalar;
  scalar.dtype = *dtype;
  if (*dtype == DType::bfloat16) {
    Object array = owned(PyArray_FromScalar(object, nullptr));
    std::memcpy(scalar.bytes, PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.get())), 2);
  } else {
    PyArray_ScalarAsCtype(object, scalar.bytes);
  }
  return scalar;
}

/// The NumPy array that NumPy itself creates from the object.
Object numpy_reading(PyObject* object) { return read_by_numpy(object, nullptr, 0); }

}  // namespace

std::optional<Scalar> python_scalar(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == &PyFloat_Type) return make_scalar(DType::float64, PyFloat_AS_DOUBLE(object));
  if (type == &PyLong_Type) return int_scalar(object);
  if (type == &PyBool_Type) return make_scalar<unsigned char>(DType::boolean, object == Py_True);
  if (type == &PyComplex_Type) return make_scalar(DType::complex128, complex_value(object));
  if (PyArray_IsScalar(object, Generic)) return numpy_scalar(object);
  if (is_lazy(object)) return numpy_scalar(true_scalar(object));
  if (PyFloat_Check(object)) return make_scalar(DType::float64, PyFloat_AS_DOUBLE(object));
  if (PyLong_Check(object)) return int_scalar(object);
  if (PyComplex_Check(object)) return make_scalar(DType::complex128, complex_value(object));
  return std::nullopt;
}

Conversion to_operand(PyObject* object, std::optional<Operand>& operand) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == ndarray_type) {
    operand.emplace(as_ndarray(object)->array);
    return Conversion::done;
  }
  if (type == &PyFloat_Type) {
    operand.emplace(make_scalar(DType::float64, PyFloat_AS_DOUBLE(object)), true);
    return Conversion::done;
  }
  if (is_ndarray(object)) {
    operand.emplace(as_ndarray(object)->array);
    return Conversion::done;
  }
  if (const Array* pending = pending_scalar(object)) {
    operand.emplace(*pending);
    return Conversion::done;
  }
  if (auto scalar = python_scalar(object)) {
    bool strong = type == &PyBool_Type || PyArray_IsScalar(object, Generic) || is_lazy(object);
    operand.emplace(*scalar, !strong);
    return Conversion::done;
  }
  if (auto shared = share_cuda_array(object)) {
    operand.emplace(std::move(*shared));
    return Conversion::done;
  }
  if (GivenArray given = array_given_by(object, nullptr, CopyChoice::if_needed); given.array)
    return to_operand(given.array.get(), operand);
  Object numpy = numpy_reading(object);
  auto* source = reinterpret_cast<PyArrayObject*>(numpy.get());
  auto dtype = dtype_of_descriptor(reinterpret_cast<PyObject*>(PyArray_DESCR(source)));
  if (!dtype) return Conversion::foreign;
  if (PyArray_NDIM(source) == 0 && is_native(reinterpret_cast<PyObject*>(PyArray_DESCR(source)))) {
    Scalar scalar;
    scalar.dtype = *dtype;
    std::memcpy(scalar.bytes, PyArray_DATA(source), itemsize(*dtype));
    operand.emplace(scalar);
  } else {
    operand.emplace(copy_from_numpy(numpy.get(), *dtype, Order::k));
  }
  return Conversion::done;
}

Conversion to_array(PyObject* object, std::optional<DType> dtype, Array& array) {
  if (is_ndarray(object)) {
    const Array& source = as_ndarray(object)->array;
    if (dtype) warn_when_complex_is_cut(source.dtype(), *dtype);
    array = !dtype || *dtype == source.dtype() ? source : copy_array(source, *dtype, Order::k);
    return Conversion::done;
  }
  if (const Array* pending = pending_scalar(object)) {
    if (dtype) warn_when_complex_is_cut(pending->dtype(), *dtype);
    array = copy_array(*pending, dtype.value_or(pending->dtype()), Order::k);  // a new storage with the same contents
    return Conversion::done;
  }
  if (auto scalar = python_scalar(object); scalar && !dtype) {
    array = Engine::instance().full({}, *scalar);
    return Conversion::done;
  }
  if (auto shared = share_cuda_array(object)) {
    array = !dtype || *dtype == shared->dtype() ? std::move(*shared) : copy_array(*shared, *dtype, Order::k);
    return Conversion::done;
  }
  if (GivenArray given = array_given_by(object, nullptr, CopyChoice::if_needed); given.array)
    return to_array(given.array.get(), dtype, array);
  Object wanted(dtype ? from_dtype(*dtype) : nullptr);
  // NumPy converts lists directly to the requested type, with its own errors; arrays are cast while they are copied.
  Object numpy =
      PyArray_Check(object) ? Object::borrowed(object) : read_by_numpy(object, wanted.get(), NPY_ARRAY_FORCECAST);
  auto* source = reinterpret_cast<PyArrayObject*>(numpy.get());
  auto found = dtype_of_descriptor(reinterpret_cast<PyObject*>(PyArray_DESCR(source)));
  if (!found && !dtype) return Conversion::foreign;
  array = copy_from_numpy(numpy.get(), dtype ? *dtype : *found, Order::k);
  return Conversion::done;
}

}  // namespace tessera::bind
