#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/random/random.h"

namespace tessera::bind {

namespace nb = nanobind;

std::optional<Dims> to_size(nb::handle size) {
  if (size.is_none()) return {};
  const Dims dims = to_dims(size.ptr());
  for (const int64_t extent : dims) require<ValueError>(extent >= 0, "negative dimensions are not allowed");
  checked_size(dims, 8);
  return dims;
}

std::optional<DrawParameter> to_draw_parameter(nb::handle object, const library::Parameter& parameter) {
  PyObject* p = object.ptr();
  library::Value value{};
  if (!parameter.integer && (PyFloat_Check(p) || PyLong_Check(p))) {
    value.real = PyFloat_AsDouble(p);
    if (value.real == -1 && PyErr_Occurred()) throw nb::python_error();
    return value;
  }
  if (parameter.integer && PyLong_Check(p)) {
    value.integer = PyLong_AsLongLong(p);
    if (value.integer == -1 && PyErr_Occurred()) throw nb::python_error();
    return value;
  }
  Array array;
  if (to_array(p, {}, array) == Conversion::foreign) return {};
  return array;
}

Array to_native_array(nb::handle object) {
  Array array;
  require<TypeError>(to_array(object.ptr(), {}, array) == Conversion::done,
                     "random: cannot convert the argument to numbers");
  return array;
}

}  // namespace tessera::bind
