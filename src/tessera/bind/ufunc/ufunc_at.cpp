/// ufunc.at: in place at indices, one after the other, so that repeated indices accumulate.
#include <array>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/index/index_fancy.h"
#include "tessera/bind/ufunc/integer_power.h"
#include "tessera/bind/ufunc/ufunc_arguments.h"
#include "tessera/bind/ufunc/ufunc_object.h"
#include "tessera/eager/at.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/engine/device/run/library_access.h"

namespace tessera::bind {

namespace {

/// Converts negative indices to count from the front; throws IndexError with NumPy's message.
void normalise(int64_t* numbers, int64_t count, int64_t extent) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t number = numbers[i];
    require<IndexError>(-extent <= number && number < extent, "index {} is out of bounds for axis 0 with size {}",
                        number, extent);
    if (number < 0) numbers[i] = number + extent;
  }
}

/// The C-order positions of the elements that array[indices] selects, in the shape of that result.
Array positions_of(const Array& array, PyObject* indices) {
  if (array.ndim() == 1 && (PyList_Check(indices) || is_ndarray(indices) || PyArray_CheckExact(indices))) {
    Array numbers = to_native_array(indices);
    if (is_integer(numbers.dtype())) {
      numbers = Engine::instance().copy(numbers, DType::int64, Order::c);
      normalise(reinterpret_cast<int64_t*>(Engine::instance().write(numbers)), numbers.size(), array.size());
      return numbers;
    }
  }
  Array numbers =
      Engine::instance().arange(Scalar::of_int(DType::int64, 0), Scalar::of_int(DType::int64, 1), array.size());
  numbers.view = View::contiguous(array.shape(), DType::int64);
  Object all = owned(wrap(numbers));
  Object chosen = owned(PyObject_GetItem(all.get(), indices));
  return Engine::instance().contiguous(to_native_array(chosen.get()), DType::int64);
}

/// A dense view reshaped to another shape of the same size.
View in_shape(const View& dense, const Dims& shape) {
  View view = View::contiguous(shape, dense.dtype);
  view.offset = dense.offset;
  return view;
}

/// The same on the array's device; nothing when the host should compute them, or should report an index out of range.
std::optional<Array> positions_on_device(const Array& array, PyObject* indices) {
  Engine& engine = Engine::instance();
  const int64_t places = is_ndarray(indices) ? as_ndarray(indices)->array.size() : array.size();
  if (!library_device(engine, {&array}, engine::cost_by_element("at", places, 8, 600, 1, 30))) return {};
  ParsedIndex index = parse_index(indices, array.ndim());
  if (index.is_basic() || array.size() == 0) return {};
  const int64_t size = array.size();
  const View numbers = View::contiguous(array.shape(), DType::int64);
  const FancySelection selection = select_fancy(index, numbers, false);
  if (selection.count == 0 || selection.inner.size() == 0) return {};
  std::vector<Array> leading;
  for (const FancyAxis& axis : selection.axes)
    if (axis.numbers.size() == selection.count && axis.axis == static_cast<int>(leading.size()))
      leading.push_back(axis.numbers);
  if (static_cast<int>(leading.size()) == array.ndim()) {
    for (Array& each : leading) each = each.with_view(in_shape(each.view, selection.fancy_shape));
    return device_rows(engine, array, array.shape(), leading);
  }
  Array all = engine.arange(Scalar::of_int(DType::int64, 0), Scalar::of_int(DType::int64, 1), size);
  all.view = numbers;
  const std::optional<Array> picked = pick_on_device(all, selection);
  if (!picked) return {};
  return engine.contiguous(picked->with_view(in_result_order(picked->view, selection)));
}

/// The second operand, broadcast to the selected elements, in the loop's type.
Array second_operand(const Operand& operand, const Array& positions, DType type) {
  if (operand.is_scalar()) {
    Array one = Engine::instance().full({}, operand.scalar.cast_to(type));
    one.view = one.view.broadcast_to(positions.shape());
    return one;
  }
  View view = operand.array.view;
  while (view.ndim() > positions.ndim() && view.shape[0] == 1) view = view.select(0, 0);
  return Engine::instance().contiguous(operand.array.with_view(view.broadcast_to(positions.shape())), type);
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
  const engine::PlacedCall call;
  const std::optional<Array> placed = positions_on_device(array, args[1]);
  const Array positions = placed ? *placed : positions_of(array, args[1]);

  std::vector<Operand> operands{Operand(array)};
  if (op.nin == 2) operands.push_back(to_native_operand(args[2]));
  operands.back().weak = false;  // NumPy first converts it to an array
  const ops::Signature& signature = choose(op, operands, {}, Casting::unsafe);
  settle_scalars(signature, operands);
  Array second;
  if (op.nin == 2) second = second_operand(operands[1], positions, signature.in[1]);
  if (second && positions.size() > 0) check_integer_power(op, signature, operands);
  // Values from the target itself must be those from before the call.
  if (second && second.storage == array.storage) second = Engine::instance().copy(second, second.dtype(), Order::c);

  Engine& engine = Engine::instance();
  uint32_t events = 0;
  if (placed && !watches_underflow() &&
      device_at(engine, op, signature, array, positions, second ? &second : nullptr, events)) {
    if (events) handle_events(events, op.name, error_state());
    Py_RETURN_NONE;
  }
  const char* values = second ? engine.read(second) : nullptr;
  const auto* numbers = reinterpret_cast<const int64_t*>(engine.read(positions));
  const std::span<const int64_t> at(numbers, static_cast<size_t>(positions.size()));
  int64_t step = second && !operands[1].is_scalar() ? itemsize(signature.in[1]) : 0;
  events = eager::run_at(eager::EagerLoop::of(op, signature), {engine.write(array), array.view}, at, values, step,
                         watches_underflow());
  handle_events(events, op.name);
  Py_RETURN_NONE;
}

}  // namespace tessera::bind
