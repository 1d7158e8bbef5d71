#include "tessera/bind/ufunc/try_eager.h"

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <type_traits>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/ufunc/ufunc_apply.h"
#include "tessera/eager/flat_call.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_call.h"

namespace tessera::bind {

using eager::FlatCall;
using eager::readable;
using eager::small_limit;
using ops::EagerLoop;

namespace {

/// An operand: a settled array whose elements lie in a row, or a Python number converted to one element of the loop's
/// type.
struct EagerOperand {
  PyObject* object;
  const Array* array;  // null for a number
  ops::OperandType type;
  const char* data;
  int64_t stride;
  alignas(16) char element[16];
};

const Array* row_array(PyObject* object) {
  if (Py_TYPE(object) != ndarray_type) return nullptr;
  const Array& array = as_ndarray(object)->array;
  return readable(array) && eager::is_row(array.view) ? &array : nullptr;
}

template <class T>
bool put_int(EagerOperand& operand, long long value) {
  T narrow = static_cast<T>(value);
  if (static_cast<long long>(narrow) != value || (std::is_unsigned_v<T> && value < 0)) return false;
  std::memcpy(operand.element, &narrow, sizeof narrow);
  return true;
}

bool is_double(PyObject* object) { return PyFloat_CheckExact(object) || Py_TYPE(object) == &PyDoubleArrType_Type; }

/// The type of a number for promotion; false for other objects.
bool type_of_number(PyObject* object, ops::OperandType& type) {
  if (PyFloat_CheckExact(object)) return type = {DType::float64, true}, true;
  if (PyLong_CheckExact(object)) return type = {DType::int64, true}, true;
  if (Py_TYPE(object) == &PyDoubleArrType_Type) return type = {DType::float64}, true;
  if (Py_TYPE(object) == &PyLongArrType_Type) return type = {DType::int64}, true;
  if (PyComplex_CheckExact(object)) return type = {DType::complex128, true}, true;
  if (Py_TYPE(object) == &PyCDoubleArrType_Type) return type = {DType::complex128}, true;
  return false;
}

template <class T>
bool put_complex(EagerOperand& operand) {
  const Py_complex value = PyComplex_AsCComplex(operand.object);
  const T parts[] = {static_cast<T>(value.real), static_cast<T>(value.imag)};
  std::memcpy(operand.element, parts, sizeof parts);
  return std::isinf(parts[0]) == std::isinf(value.real) && std::isinf(parts[1]) == std::isinf(value.imag);
}

/// Stores the number as an element of dtype; false where the conversion is not trivial.
bool put_number(EagerOperand& operand, DType dtype) {
  PyObject* object = operand.object;
  operand.data = operand.element;
  operand.stride = 0;
  if (is_complex(operand.type.dtype)) {
    return dtype == DType::complex128 ? put_complex<double>(operand)
                                      : dtype == DType::complex64 && put_complex<float>(operand);
  }
  bool is_float = is_double(object);
  int overflow = 0;
  long long value = is_float                                 ? 0
                    : Py_TYPE(object) == &PyLongArrType_Type ? PyArrayScalar_VAL(object, Long)
                                                             : PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow) return false;
  switch (dtype) {
    case DType::float64: {
      double number = is_float ? PyFloat_AS_DOUBLE(object) : static_cast<double>(value);
      std::memcpy(operand.element, &number, sizeof number);
      return true;
    }
    case DType::float32: {
      float number = is_float ? static_cast<float>(PyFloat_AS_DOUBLE(object)) : static_cast<float>(value);
      std::memcpy(operand.element, &number, sizeof number);
      return !is_float || !std::isinf(number);  // a number that is too large is an overflow event
    }
    case DType::complex128: {
      const double parts[] = {is_float ? PyFloat_AS_DOUBLE(object) : static_cast<double>(value), 0};
      std::memcpy(operand.element, parts, sizeof parts);
      return true;
    }
    case DType::complex64: {
      const float parts[] = {is_float ? static_cast<float>(PyFloat_AS_DOUBLE(object)) : static_cast<float>(value), 0};
      std::memcpy(operand.element, parts, sizeof parts);
      return !is_float || !std::isinf(parts[0]);
    }
    case DType::int64: return !is_float && put_int<int64_t>(operand, value);
    case DType::int32: return !is_float && put_int<int32_t>(operand, value);
    case DType::int16: return !is_float && put_int<int16_t>(operand, value);
    case DType::int8: return !is_float && put_int<int8_t>(operand, value);
    case DType::uint64: return !is_float && put_int<uint64_t>(operand, value);
    case DType::uint32: return !is_float && put_int<uint32_t>(operand, value);
    case DType::uint16: return !is_float && put_int<uint16_t>(operand, value);
    case DType::uint8: return !is_float && put_int<uint8_t>(operand, value);
    default: return false;
  }
}

/// Converts the operand to `dtype`, using the buffer `room` when elements must be converted.
bool settle(EagerOperand& operand, DType dtype, int64_t n, char* room) {
  if (!operand.array) return put_number(operand, dtype);
  operand.data = readable(*operand.array) + operand.array->view.offset;
  operand.stride = eager::row_stride(operand.array->view);
  if (operand.type.dtype == dtype) [[likely]]
    return true;
  ir::Loop cast = n <= small_limit ? ir::find_loop(ir::Opcode::cast, operand.type.dtype, dtype) : nullptr;
  if (!cast) return false;
  char* pointers[] = {const_cast<char*>(operand.data), room};
  int64_t strides[] = {operand.stride, itemsize(dtype)};
  cast(pointers, strides, n);
  operand.data = room;
  operand.stride = strides[1];
  return true;
}

/// All operands are Python or NumPy doubles: one call of the loop.
PyObject* try_doubles(const ops::Op& op, PyObject* const* args) {
  double values[2];
  char* pointers[3];
  constexpr int64_t strides[3] = {};
  for (Py_ssize_t i = 0; i < op.nin; ++i) {
    if (!is_double(args[i])) return nullptr;
    values[i] = PyFloat_AS_DOUBLE(args[i]);
    pointers[i] = reinterpret_cast<char*>(&values[i]);
  }
  const EagerLoop* loop = EagerLoop::uniform(op, DType::float64);
  if (!loop) return nullptr;
  alignas(16) char result[16];
  pointers[op.nin] = result;
  loop->run(pointers, strides, 1);
  handle_events(loop->events(pointers, strides, 1, watches_underflow()), op.name);
  return checked(make_numpy_scalar(loop->signature().out[0], result));
}

/// Whether the element values must be checked first: powers of signed integers check the exponents.
bool needs_values(const ops::Op& op, DType dtype) {
  static const ops::OpId power = ops::OpTable::standard().find("power")->id;
  return op.id == power && is_signed_integer(dtype);
}

/// Runs the loop into a new array of this shape, or a NumPy scalar.
PyObject* run_into_new(FlatCall& call, const ops::Op& op, const View& model) {
  DType dtype = call.loop.signature().out[0];
  if (model.ndim() == 0) {
    alignas(16) char element[16];
    handle_events(eager::run_into_new(call, element, watches_underflow()), op.name);
    return checked(make_numpy_scalar(dtype, element));
  }
  NdArray* result = new_contiguous(model, dtype);
  Object owner(reinterpret_cast<PyObject*>(result));
  handle_events(eager::run_into_new(call, result->array.storage->current->data, watches_underflow()), op.name);
  return owner.release();
}

PyObject* run(FlatCall& call, const ops::Op& op, const View& model, PyObject* out) {
  if (!out) return run_into_new(call, op, model);
  if (Py_TYPE(out) != ndarray_type || !as_ndarray(out)->writeable) return nullptr;
  const Array& target = as_ndarray(out)->array;
  std::optional<uint32_t> events;
  if (eager::redirect(call, target, model.shape))
    events = call.run(watches_underflow());
  else
    events = eager::try_run_into(call, target, model.shape, watches_underflow());
  if (!events) return nullptr;
  handle_events(*events, op.name);
  return Py_NewRef(out);
}

bool read_operand(PyObject* object, EagerOperand& operand) {
  operand.object = object;
  operand.array = row_array(object);
  if (!operand.array) return Py_TYPE(object) != ndarray_type && type_of_number(object, operand.type);
  operand.type = {operand.array->dtype()};
  return true;
}

/// The result when both operands are small settled arrays of one shape, each in a row, or one is such an array and the
/// other a plain number; null, with nothing done, otherwise. `out` may be null.
PyObject* try_binary(const ops::Op& op, PyObject* a, PyObject* b, PyObject* out, int64_t most) {
  EagerOperand x, y;
  if (!read_operand(a, x) || !read_operand(b, y)) return nullptr;
  const Array* model = x.array ? x.array : y.array;
  if (!model || (x.array && y.array && !(x.array->shape() == y.array->shape()))) return nullptr;
  int64_t n = model->size();
  if (n > most) return nullptr;
  bool uniform = x.type.dtype == y.type.dtype && !x.type.weak && !y.type.weak;
  const EagerLoop* loop = uniform ? EagerLoop::uniform(op, x.type.dtype) : nullptr;
  if (!loop) {
    std::array<ops::OperandType, 2> types{x.type, y.type};
    loop = &EagerLoop::of(op, remembered_choice(op, types));
  }
  const ops::Signature& signature = loop->signature();
  if (needs_values(op, signature.in[1])) return nullptr;
  alignas(16) char room[2][small_limit * 16];
  if (!settle(x, signature.in[0], n, room[0]) || !settle(y, signature.in[1], n, room[1])) return nullptr;
  FlatCall call{*loop, n, 2, {const_cast<char*>(x.data), const_cast<char*>(y.data)}, {x.stride, y.stride}};
  return run(call, op, model->view, out);
}

PyObject* try_unary(const ops::Op& op, PyObject* a, PyObject* out, int64_t most) {
  const Array* x = row_array(a);
  if (!x || x->size() > most) return nullptr;
  const EagerLoop* loop = EagerLoop::uniform(op, x->dtype());
  if (!loop) return nullptr;
  FlatCall call{*loop, x->size(), 1, {const_cast<char*>(readable(*x)) + x->view.offset}, {eager::row_stride(x->view)}};
  return run(call, op, x->view, out);
}

}  // namespace

PyObject* try_eager(const ops::Op& op, PyObject* const* args, PyObject* out, int64_t most) {
  if (op.nout != 1 || op.nin > 2) return nullptr;
  PyObject* result = op.nin == 2 ? try_binary(op, args[0], args[1], out, most) : try_unary(op, args[0], out, most);
  return result || out ? result : try_doubles(op, args);
}

}  // namespace tessera::bind
