#include "tessera/bind/ufunc/record_call.h"

#include <cmath>
#include <cstring>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/eager/eager_loop.h"

namespace tessera::bind {

namespace {

const Array* exact_array(PyObject* object) {
  return Py_TYPE(object) == ndarray_type ? &as_ndarray(object)->array : nullptr;
}

/// Converts a Python number that keeps the array's dtype to an element of it.
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

/// Whether storing the number may overflow, which is reported when it is stored.
bool is_narrowed(PyObject* number, DType dtype) { return PyFloat_CheckExact(number) && dtype == DType::float32; }

}  // namespace

PyObject* try_record_binary(const ops::Op& op, PyObject* a, PyObject* b) {
  const Array* x = exact_array(a);
  const Array* y = exact_array(b);
  const Array* model = x ? x : y;
  if (!model) return nullptr;
  const DType dtype = model->dtype();
  Scalar scalar;
  if (!(x && y) && !to_element(x ? b : a, dtype, scalar)) return nullptr;
  const ErrorState state = error_state();
  if (!may_wait(state)) return nullptr;
  Engine& engine = Engine::instance();
  const Context context{call_site(), state};
  if (PyObject* result =
          try_wrap_made([&](void* place) { return engine.follow_binary(op, x, y, scalar, context, place); }))
    return result;
  static const ops::OpId power = ops::OpTable::standard().find("power")->id;  // checks its exponents first
  if (model->ndim() == 0 || op.nin != 2 || op.nout != 1 || op.id == power) return nullptr;
  if (x && y && (y->dtype() != dtype || !(x->shape() == y->shape()))) return nullptr;
  const eager::EagerLoop* loop = eager::EagerLoop::uniform(op, dtype);
  if (!loop) return nullptr;
  return wrap_made([&] { return engine.record_binary(op, loop->signature(), x, y, scalar, context); });
}

bool try_record_assign(const Array& target, PyObject* value) {
  const Array* source = exact_array(value);
  Scalar scalar;
  if (source ? source->dtype() != target.dtype()
             : is_narrowed(value, target.dtype()) || !to_element(value, target.dtype(), scalar))
    return false;
  const ErrorState state = error_state();
  if (!may_wait(state)) return false;
  if (!Engine::instance().follow_write(target, source, scalar, {call_site(), state})) return false;
  deliver_reports();
  return true;
}

}  // namespace tessera::bind
