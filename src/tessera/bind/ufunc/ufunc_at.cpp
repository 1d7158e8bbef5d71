/// ufunc.at: in place at indices, one after the other, so that repeated indices accumulate.
#include "tessera/base/error.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/ufunc/integer_power.h"
#include "tessera/bind/ufunc/ufunc_arguments.h"
#include "tessera/bind/ufunc/ufunc_object.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/small_call.h"
#include "tessera/ops/run_at.h"

namespace tessera::bind {

namespace {

/// The arrays of an index that has one integer array for each axis, of one shape and type; else none.
std::vector<Array> arrays_of(PyObject* indices, int ndim) {
  std::vector<Array> arrays;
  PyObject* const* items = PyTuple_CheckExact(indices) ? PySequence_Fast_ITEMS(indices) : &indices;
  const Py_ssize_t count = PyTuple_CheckExact(indices) ? PyTuple_GET_SIZE(indices) : 1;
  if (count != ndim) return {};
  for (Py_ssize_t k = 0; k < count; ++k) {
    if (!PyList_Check(items[k]) && !is_ndarray(items[k]) && !PyArray_CheckExact(items[k])) return {};
    arrays.push_back(to_native_array(items[k]));
    const Array &first = arrays.front(), &last = arrays.back();
    if (!is_integer(last.dtype()) || last.dtype() != first.dtype() || last.shape() != first.shape()) return {};
  }
  return arrays;
}

/// A few indices of a vector, counted from the front; null when the routine should do it.
Array small_positions(const Array& numbers, int64_t extent) {
  const char* data = numbers.size() <= eager::small_limit ? eager::readable(numbers) : nullptr;
  if (!data || numbers.dtype() != DType::int64 || !numbers.view.is_c_contiguous()) return {};
  const auto* given = reinterpret_cast<const int64_t*>(data + numbers.view.offset);
  Array positions = Engine::instance().empty(numbers.shape(), DType::int64);
  auto* to = reinterpret_cast<int64_t*>(Engine::instance().write(positions));
  for (int64_t k = 0; k < numbers.size(); ++k) {
    to[k] = given[k] < 0 ? given[k] + extent : given[k];
    if (to[k] < 0 || to[k] >= extent) return {};
  }
  return positions;
}

/// The C-order positions of the elements that array[indices] selects, in the shape of that result.
Array positions_of(const Array& array, PyObject* indices) {
  static const ops::Routine& routine = Engine::routine("ravel_multi_index");
  Engine& engine = Engine::instance();
  if (const std::vector<Array> arrays = arrays_of(indices, array.ndim()); !arrays.empty()) {
    if (array.ndim() == 1)
      if (Array numbers = small_positions(arrays[0], array.size())) return numbers;
    ops::Arguments extents;
    for (const int64_t extent : array.shape()) extents.add(extent);
    Array numbers;
    engine.call(routine, arrays, extents, Context{.site = call_site()}, std::span(&numbers, 1));
    return numbers;
  }
  Array numbers = engine.arange(Scalar::of_int(DType::int64, 0), Scalar::of_int(DType::int64, 1), array.size());
  numbers.view = View::contiguous(array.shape(), DType::int64);
  Object all = owned(wrap(numbers));
  Object chosen = owned(PyObject_GetItem(all.get(), indices));
  return engine.contiguous(to_native_array(chosen.get()), DType::int64);
}

/// The second operand in the loop's type: one element, or broadcast to the selected elements.
Array second_operand(const Operand& operand, const Array& positions, DType type) {
  if (operand.is_scalar()) return Engine::instance().full({}, operand.scalar.cast_to(type));
  View view = operand.array.view;
  while (view.ndim() > positions.ndim() && view.shape[0] == 1) view = view.select(0, 0);
  return Engine::instance().contiguous(operand.array.with_view(view.broadcast_to(positions.shape())), type);
}

/// A user's op is applied on the host: the routine knows ops of the table.
uint32_t run_user_at(const ops::Op& op, const ops::Signature& signature, const Array& array, const Array& positions,
                     const Array& second, bool underflow) {
  Engine& engine = Engine::instance();
  const bool shares = second && second.storage == array.storage;
  const Array values = shares ? engine.copy(second, second.dtype(), Order::c) : second;
  const auto* numbers = reinterpret_cast<const int64_t*>(engine.read(positions));
  const char* data = values ? engine.read(values) : nullptr;
  const int64_t step = values && values.size() > 1 ? itemsize(values.dtype()) : 0;
  return ops::run_at(ops::EagerLoop::of(op, signature), engine.write(array), array.view,
                     {numbers, static_cast<size_t>(positions.size())}, data, step, underflow);
}

/// Applies the op in place; the floating-point events.
uint32_t run_at(const ops::Op& op, const ops::Signature& signature, const Array& array, const Array& positions,
                const Array& second) {
  const bool underflow = watches_underflow();
  char* target = positions.size() <= eager::small_limit ? eager::writable(array) : nullptr;
  if (target && eager::readable(positions) &&
      (!second || (second.storage != array.storage && eager::readable(second)))) {
    const auto* numbers = reinterpret_cast<const int64_t*>(eager::first_element(positions));
    const char* values = second ? eager::first_element(second) : nullptr;
    const int64_t step = second && second.size() > 1 ? itemsize(second.dtype()) : 0;
    return ops::run_at(ops::EagerLoop::of(op, signature), target + array.view.offset, array.view,
                       {numbers, static_cast<size_t>(positions.size())}, values, step, underflow);
  }
  if (op.user) return run_user_at(op, signature, array, positions, second, underflow);
  static const ops::Routine& routine = Engine::routine("at");
  std::vector<Array> operands{array, positions};
  if (second) operands.push_back(second);
  const int64_t number = &signature - op.signatures.data();
  Array events;
  Engine::instance().call(routine, operands, {static_cast<int64_t>(op.id), number, underflow},
                          Context{.site = call_site()}, std::span(&events, 1));
  const bool watches = ops::errors_of(op, signature.in[0]) != ir::ErrorRule::none;
  return watches ? *reinterpret_cast<const uint32_t*>(Engine::instance().read(events)) : 0;
}

}  // namespace

PyObject* ufunc_at(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const ops::Op& op = op_of(self);
  refuse_unknown_keywords("at", names, {});
  require<TypeError>(nargs == 2 || nargs == 3, "at() takes from 2 to 3 positional arguments but {} were given", nargs);
  require<ValueError>(op.nin <= 2, "Only unary and binary ufuncs supported at this time");
  require<ValueError>(op.nout == 1, "Only single output ufuncs supported at this time");
  require<ValueError>(nargs == 2 || op.nin == 2, "second operand provided when ufunc is unary");
  require<ValueError>(nargs == 3 || op.nin == 1, "second operand needed for ufunc");
  if (PyArray_Check(args[0])) throw Foreign{"the target is a NumPy array"};
  require<TypeError>(is_ndarray(args[0]), "first operand must be array");
  require_writeable(as_ndarray(args[0]), "output array is read-only");
  const Array& array = as_ndarray(args[0])->array;
  const Array positions = positions_of(array, args[1]);

  std::vector<Operand> operands{Operand(array)};
  if (op.nin == 2) operands.push_back(to_native_operand(args[2]));
  operands.back().weak = false;  // NumPy first converts it to an array
  const ops::Signature& signature = choose(op, operands, {}, Casting::unsafe);
  settle_scalars(signature, operands);
  Array second;
  if (op.nin == 2) second = second_operand(operands[1], positions, signature.in[1]);
  if (second && positions.size() > 0) check_integer_power(op, signature, operands);
  handle_events(run_at(op, signature, array, positions, second), op.name);
  Py_RETURN_NONE;
}

}  // namespace tessera::bind
