#include "tessera/bind/convert/number_element.h"

#include <cmath>
#include <cstring>

namespace tessera::bind {

bool to_element(PyObject* object, DType dtype, Scalar& element) {
  if (PyFloat_CheckExact(object)) {
    if (dtype != DType::float64 && dtype != DType::float32) return false;
    const double value = PyFloat_AS_DOUBLE(object);
    if (dtype == DType::float64) {
      std::memcpy(element.bytes, &value, sizeof value);
    } else {
      element = Scalar::of_float(dtype, value);
      return !std::isinf(static_cast<float>(value));  // a number that is too large is an overflow event
    }
    return true;
  }
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow) return false;
  if (dtype == DType::float64 || dtype == DType::float32) {
    element = Scalar::of_float(dtype, static_cast<double>(value));
    return static_cast<double>(value) < 9007199254740992.0 && static_cast<double>(value) > -9007199254740992.0;
  }
  if (!is_signed_integer(dtype)) return false;
  element = Scalar::of_int(DType::int64, value).cast_to(dtype);
  return element.as_int() == value;
}

}  // namespace tessera::bind
