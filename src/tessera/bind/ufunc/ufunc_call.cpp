#include "tessera/bind/ufunc/ufunc_call.h"

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <type_traits>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/bind/ufunc/record_call.h"
#include "tessera/bind/ufunc/ufunc_apply.h"
#include "tessera/bind/ufunc/ufunc_fallback.h"
#include "tessera/bind/ufunc/ufunc_object.h"
#include "tessera/bind/ufunc/ufunc_override.h"
#include "tessera/eager/eager_loop.h"
#include "tessera/eager/finite.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_call.h"

namespace tessera::bind {

namespace {

/// An operand of a fast call: a settled contiguous array, or a Python number converted to one element of the loop's
/// type.
struct FastOperand {
  PyObject* object;
  const Array* array;  // null for a number
  ops::OperandType type;
  const char* data;
  int64_t stride;
  alignas(16) char element[16];
};

const Array* fast_array(PyObject* object) {
  if (Py_TYPE(object) != ndarray_type) return nullptr;
  const Array& array = as_ndarray(object)->array;
  return eager::readable(array) && array.view.is_c_contiguous() ? &array : nullptr;
}

template <class T>
bool put_int(FastOperand& operand, long long value) {
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
bool put_complex(FastOperand& operand) {
  const Py_complex value = PyComplex_AsCComplex(operand.object);
  const T parts[] = {static_cast<T>(value.real), static_cast<T>(value.imag)};
  std::memcpy(operand.element, parts, sizeof parts);
  return std::isinf(parts[0]) == std::isinf(value.real) && std::isinf(parts[1]) == std::isinf(value.imag);
}

/// Stores the number as an element of dtype; false where the conversion is not trivial.
bool put_number(FastOperand& operand, DType dtype) {
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
bool settle(FastOperand& operand, DType dtype, int64_t n, char* room) {
  if (!operand.array) return put_number(operand, dtype);
  operand.data = eager::readable(*operand.array) + operand.array->view.offset;
  operand.stride = itemsize(dtype);
  if (operand.type.dtype == dtype) [[likely]]
    return true;
  ir::Loop cast = ir::find_loop(ir::Opcode::cast, operand.type.dtype, dtype);
  if (!cast) return false;
  char* pointers[] = {const_cast<char*>(operand.data), room};
  int64_t strides[] = {itemsize(operand.type.dtype), itemsize(dtype)};
  cast(pointers, strides, n);
  operand.data = room;
  return true;
}

/// All operands are Python or NumPy doubles: one call of the loop.
PyObject* try_fast_scalars(const ops::Op& op, PyObject* const* args, Py_ssize_t nargs) {
  double values[2];
  char* pointers[3];
  constexpr int64_t strides[3] = {};
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    if (!is_double(args[i])) return nullptr;
    values[i] = PyFloat_AS_DOUBLE(args[i]);
    pointers[i] = reinterpret_cast<char*>(&values[i]);
  }
  const eager::EagerLoop* loop = op.nout == 1 ? eager::EagerLoop::uniform(op, DType::float64) : nullptr;
  if (!loop) return nullptr;
  alignas(16) char result[16];
  pointers[nargs] = result;
  loop->run(pointers, strides, 1);
  uint32_t events = loop->events(pointers, strides, 1, watches_underflow());
  if (events) [[unlikely]]
    handle_events(events, op.name, error_state());
  return checked(make_numpy_scalar(loop->signature().out[0], result));
}

/// Whether the element values must be checked first: powers of signed integers check the exponents.
bool needs_values(const ops::Op& op, DType dtype) {
  static const ops::OpId power = ops::OpTable::standard().find("power")->id;
  return op.id == power && is_signed_integer(dtype);
}

/// A fast call: the loop, and the pointers and strides of its operands and result.
struct FastCall {
  const ops::Op& op;
  const eager::EagerLoop& loop;
  const Array& model;  // the operand that determines the shape
  int64_t n;
  int nin;
  char* pointers[3];
  int64_t strides[3];
};

void look_for_events(const FastCall& call) {
  DType dtype = call.loop.signature().out[0];
  if (call.loop.errors() == ir::ErrorRule::none) return;
  if (!is_integer(dtype) && !watches_underflow() && eager::all_finite(dtype, call.pointers[call.nin], call.n)) return;
  uint32_t events = call.loop.events(call.pointers, call.strides, call.n, watches_underflow());
  if (events) [[unlikely]]
    handle_events(events, call.op.name, error_state());
}

/// Runs the loop into a new array, or a NumPy scalar.
PyObject* run_fast(FastCall& call) {
  DType dtype = call.loop.signature().out[0];
  call.strides[call.nin] = itemsize(dtype);
  if (call.model.ndim() == 0) {
    alignas(16) char element[16];
    call.pointers[call.nin] = element;
    call.loop.run(call.pointers, call.strides, call.n);
    look_for_events(call);
    return checked(make_numpy_scalar(dtype, element));
  }
  NdArray* result = new_contiguous(call.model.view, dtype);
  Object owner(reinterpret_cast<PyObject*>(result));
  call.pointers[call.nin] = result->array.storage->current->data;
  call.loop.run(call.pointers, call.strides, call.n);
  look_for_events(call);
  return owner.release();
}

/// Runs the loop into `out` when it is a settled array of exactly that shape and type; an operand that it overwrites is
/// copied first, because events are found from the operands.
PyObject* run_fast_into(FastCall& call, PyObject* out) {
  if (Py_TYPE(out) != ndarray_type || !as_ndarray(out)->writeable) return nullptr;
  const Array& target = as_ndarray(out)->array;
  char* data = eager::writable(target);
  if (!data || target.dtype() != call.loop.signature().out[0] || !target.view.is_c_contiguous()) return nullptr;
  if (!(target.shape() == call.model.shape())) return nullptr;
  data += target.view.offset;
  int64_t nbytes = call.n * target.view.itemsize();
  bool watched = call.loop.errors() != ir::ErrorRule::none;
  std::unique_ptr<char[]> kept;
  for (int k = 0; k < call.nin; ++k) {
    int64_t operand_bytes = call.strides[k] * call.n;
    bool disjoint = operand_bytes == 0 || call.pointers[k] + operand_bytes <= data || data + nbytes <= call.pointers[k];
    if (disjoint) continue;
    if (call.pointers[k] != data || operand_bytes != nbytes) return nullptr;
    if (!watched) continue;
    if (!kept) kept = std::make_unique_for_overwrite<char[]>(nbytes);
    std::memcpy(kept.get(), data, nbytes);
    call.pointers[k] = kept.get();
  }
  call.pointers[call.nin] = data;
  call.strides[call.nin] = target.view.itemsize();
  call.loop.run(call.pointers, call.strides, call.n);
  look_for_events(call);
  return Py_NewRef(out);
}

PyObject* run_fast(FastCall& call, PyObject* out) { return out ? run_fast_into(call, out) : run_fast(call); }

bool read_operand(PyObject* object, FastOperand& operand) {
  operand.object = object;
  operand.array = fast_array(object);
  if (!operand.array) return Py_TYPE(object) != ndarray_type && type_of_number(object, operand.type);
  operand.type = {operand.array->dtype()};
  return true;
}

/// The result when both operands are small settled contiguous arrays of one shape, or one is such an array and the
/// other a plain number; null, with nothing done, otherwise. `out` may be null.
PyObject* try_fast_binary(const ops::Op& op, PyObject* a, PyObject* b, PyObject* out) {
  if (op.nout != 1) return nullptr;
  FastOperand x, y;
  if (!read_operand(a, x) || !read_operand(b, y)) return nullptr;
  const Array* model = x.array ? x.array : y.array;
  if (!model || (x.array && y.array && !(x.array->shape() == y.array->shape()))) return nullptr;
  int64_t n = model->size();
  if (n > eager::small_limit) return nullptr;
  bool uniform = x.type.dtype == y.type.dtype && !x.type.weak && !y.type.weak;
  const eager::EagerLoop* loop = uniform ? eager::EagerLoop::uniform(op, x.type.dtype) : nullptr;
  if (!loop) {
    std::array<ops::OperandType, 2> types{x.type, y.type};
    loop = &eager::EagerLoop::of(op, remembered_choice(op, types));
  }
  const ops::Signature& signature = loop->signature();
  if (needs_values(op, signature.in[1])) return nullptr;
  alignas(16) char room[2][eager::small_limit * 16];
  if (!settle(x, signature.in[0], n, room[0]) || !settle(y, signature.in[1], n, room[1])) return nullptr;
  FastCall call{op, *loop, *model, n, 2, {const_cast<char*>(x.data), const_cast<char*>(y.data)}, {x.stride, y.stride}};
  return run_fast(call, out);
}

PyObject* try_fast_unary(const ops::Op& op, PyObject* a, PyObject* out) {
  const Array* x = fast_array(a);
  if (!x || op.nout != 1 || x->size() > eager::small_limit) return nullptr;
  const eager::EagerLoop* loop = eager::EagerLoop::uniform(op, x->dtype());
  if (!loop) return nullptr;
  FastCall call{
      op, *loop, *x, x->size(), 1, {const_cast<char*>(eager::readable(*x)) + x->view.offset}, {itemsize(x->dtype())}};
  return run_fast(call, out);
}

PyObject* apply_or_fall_back(const ops::Op& op, std::initializer_list<PyObject*> inputs, PyObject* out) {
  SmallVector<PyObject*, 4> all(std::span<PyObject* const>(inputs.begin(), inputs.size()));
  if (out) all.push_back(out);
  if (PyObject* answer =
          try_override(ufunc_of(op), "__call__", all.data(), static_cast<Py_ssize_t>(all.size()), nullptr)) {
    return answer;
  }
  UfuncCall call{.op = op};
  for (PyObject* input : inputs) call.inputs.push_back(input);
  if (out) call.outputs.push_back(out);
  try {
    return apply(call);
  } catch (const Foreign& foreign) {
    return fall_back(op, inputs, out, foreign);
  }
}

/// Whether the object is an array whose elements are still to be computed, so that an op on it cannot run immediately.
bool is_pending(PyObject* object) {
  return Py_TYPE(object) == ndarray_type && !eager::readable(as_ndarray(object)->array);
}

}  // namespace

PyObject* try_fast_call(const ops::Op& op, PyObject* const* args, Py_ssize_t nargs, PyObject* out) {
  if (nargs != op.nin || nargs > 2) return nullptr;
  return guarded([&] {
    PyObject* result = nargs == 2 ? try_fast_binary(op, args[0], args[1], out) : try_fast_unary(op, args[0], out);
    return result || out ? result : try_fast_scalars(op, args, nargs);
  });
}

PyObject* call_binary(const ops::Op& op, PyObject* a, PyObject* b, PyObject* out) {
  return guarded([&] {
    if (!is_pending(a) && !is_pending(b)) {
      if (PyObject* result = try_fast_binary(op, a, b, out)) return result;
    }
    if (PyObject* result = out ? nullptr : try_record_binary(op, a, b)) return result;
    return apply_or_fall_back(op, {a, b}, out);
  });
}

PyObject* call_unary(const ops::Op& op, PyObject* a, PyObject* out) {
  return guarded([&] {
    if (PyObject* result = try_fast_unary(op, a, out)) return result;
    return apply_or_fall_back(op, {a}, out);
  });
}

}  // namespace tessera::bind
