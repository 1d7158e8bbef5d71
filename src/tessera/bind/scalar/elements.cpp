#include "tessera/bind/scalar/elements.h"

#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/eager/host_array.h"

namespace tessera::bind {

namespace {

template <class T>
void put(char* element, T value) {
  std::memcpy(element, &value, sizeof value);
}

template <class T>
T get(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Stores the most common combinations of Python type and dtype; false leaves the element unchanged.
bool store_quickly(char* element, DType dtype, PyObject* value) {
  if (PyFloat_CheckExact(value)) {
    double number = PyFloat_AS_DOUBLE(value);
    if (dtype == DType::float64) return put(element, number), true;
    return false;
  }
  if (PyLong_CheckExact(value)) {
    if (dtype != DType::float64 && dtype != DType::int64 && dtype != DType::int32) return false;
    int overflow = 0;
    int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow) return false;
    if (dtype == DType::float64) return put(element, static_cast<double>(number)), true;
    if (dtype == DType::int64) return put(element, number), true;
    if (number != static_cast<int32_t>(number)) return false;
    return put(element, static_cast<int32_t>(number)), true;
  }
  if (dtype == DType::float64 && Py_TYPE(value) == &PyDoubleArrType_Type) {
    return put(element, PyArrayScalar_VAL(value, Double)), true;
  }
  if (dtype_of_scalar_type(Py_TYPE(value)) == dtype && dtype != DType::bfloat16) {
    PyArray_ScalarAsCtype(value, element);
    return true;
  }
  return false;
}

}  // namespace

void store_element(char* element, DType dtype, PyObject* value) {
  if (store_quickly(element, dtype, value)) return;
  // NumPy's own conversion of one object, with its errors and warnings.
  View view;
  view.dtype = dtype;
  alignas(16) char bytes[16] = {};
  Object cell(numpy_over(bytes, view, true, nullptr));
  auto* array = reinterpret_cast<PyArrayObject*>(cell.get());
  checked(PyArray_Pack(PyArray_DESCR(array), bytes, value));
  std::memcpy(element, bytes, static_cast<size_t>(itemsize(dtype)));
}

PyObject* load_element(NdArray* self, int64_t bytes_from_start) {
  const char* start = eager::readable(self->array);
  if (start) [[likely]] {
    return make_numpy_scalar(self->array.view.dtype, start + self->array.view.offset + bytes_from_start);
  }
  Array element = self->array;
  element.view.shape = element.view.strides = {};
  element.view.offset += bytes_from_start;
  return make_numpy_scalar(element.view.dtype, read_nearby(element));
}

PyObject* make_python_scalar(DType dtype, const void* bytes) {
  switch (dtype) {
    case DType::boolean: return PyBool_FromLong(get<unsigned char>(bytes));
    case DType::int8: return PyLong_FromLong(get<int8_t>(bytes));
    case DType::uint8: return PyLong_FromLong(get<uint8_t>(bytes));
    case DType::int16: return PyLong_FromLong(get<int16_t>(bytes));
    case DType::uint16: return PyLong_FromLong(get<uint16_t>(bytes));
    case DType::int32: return PyLong_FromLong(get<int32_t>(bytes));
    case DType::uint32: return PyLong_FromUnsignedLong(get<uint32_t>(bytes));
    case DType::int64: return PyLong_FromLongLong(get<int64_t>(bytes));
    case DType::uint64: return PyLong_FromUnsignedLongLong(get<uint64_t>(bytes));
    case DType::float16: return PyFloat_FromDouble(half_to_float(get<uint16_t>(bytes)));
    // NumPy has no Python number for a foreign float type and returns the scalar itself.
    case DType::bfloat16: return make_numpy_scalar(dtype, bytes);
    case DType::float32: return PyFloat_FromDouble(get<float>(bytes));
    case DType::float64: return PyFloat_FromDouble(get<double>(bytes));
    case DType::complex64:
      return PyComplex_FromDoubles(get<float>(bytes), get<float>(static_cast<const char*>(bytes) + 4));
    case DType::complex128:
      return PyComplex_FromDoubles(get<double>(bytes), get<double>(static_cast<const char*>(bytes) + 8));
  }
  std::unreachable();
}

}  // namespace tessera::bind
