#include "tessera/bind/source/source_arguments.h"

#include <nanobind/nanobind.h>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/bind/source/untyped_memory.h"

namespace tessera::bind {

namespace nb = nanobind;

SourceArguments::~SourceArguments() {
  for (Py_buffer& buffer : buffers_) PyBuffer_Release(&buffer);
}

void SourceArguments::add_array(size_t k, const Array& array) {
  slot(k);
  arrays_.push_back(array);
  writes_.push_back(parameters_.writes(k));
  pointers_.push_back(static_cast<uint32_t>(k));
}

void SourceArguments::add_memory(size_t k, const NdArray& array) {
  if (!array.writeable && parameters_.writes(k))
    throw ValueError(
        format("{}: argument {} ({}) is a read-only array, and the kernel may write it: a pointer to const says that "
               "it does not",
               parameters_.kernel(), k + 1, parameters_.describe(k)));
  add_array(k, array.array);
}

bool SourceArguments::add(size_t k, PyObject* argument) {
  if (is_ndarray(argument)) {
    parameters_.check_array(k, as_ndarray(argument)->array.view);
    add_memory(k, *as_ndarray(argument));
    return true;
  }
  if (add_number(k, argument)) return true;
  if (nb::isinstance<UntypedMemory>(argument)) {
    add_array(k, nb::cast<UntypedMemory&>(nb::handle(argument)).array);
    return true;
  }
  return add_bytes(k, argument);
}

bool SourceArguments::add_number(size_t k, PyObject* argument) {
  const bool is_address = parameters_.takes_address(k);
  if (argument == Py_None && is_address) {
    slots_[k] = {};
    slot(k);
    return true;
  }
  if (PyArray_Check(argument)) return false;
  const std::optional<Scalar> value = python_scalar(argument);
  if (!value) {
    if (PyLong_Check(argument))
      throw OverflowError(format("{}: argument {} ({}): the integer does not fit 64 bits", parameters_.kernel(), k + 1,
                                 parameters_.describe(k)));
    return false;
  }
  if (is_address && is_integer(value->dtype) && itemsize(value->dtype) == 8 && value->as_int() >= 0) {
    slots_[k] = {static_cast<uint64_t>(value->as_int()), 0};
    slot(k);
    return true;
  }
  const bool is_weak = !PyArray_IsScalar(argument, Generic) && !is_lazy(argument);
  parameters_.put_number(k, {*value, is_weak}, slot(k));
  return true;
}

/// Structures: NumPy's records, ctypes' structures, bytes.
bool SourceArguments::add_bytes(size_t k, PyObject* argument) {
  if (PyArray_Check(argument)) {
    auto* array = reinterpret_cast<PyArrayObject*>(argument);
    const bool is_structure = PyDataType_HASFIELDS(PyArray_DESCR(array)) && PyArray_SIZE(array) == 1;
    if (!is_structure || parameters_.takes_address(k)) return false;
  } else if (parameters_.takes_address(k) || !PyObject_CheckBuffer(argument)) {
    return false;
  }
  Py_buffer buffer;
  if (PyObject_GetBuffer(argument, &buffer, PyBUF_C_CONTIGUOUS) != 0) throw ErrorAlreadySet();
  buffers_.push_back(buffer);
  parameters_.check_bytes(k, buffer.len, Py_TYPE(argument)->tp_name);
  values_[k] = buffer.buf;
  return true;
}

}  // namespace tessera::bind
