#include "tessera/bind/ufunc/ufunc_apply.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/array/array_wrap.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/ufunc/integer_power.h"
#include "tessera/bind/ufunc/ufunc_object.h"
#include "tessera/eager/operand_shapes.h"
#include "tessera/eager/small_call.h"

namespace tessera::bind {

namespace {

using Operands = std::vector<Operand>;
using Outputs = std::vector<Array>;

void check_output_casts(const ops::Op& op, const ops::Signature& signature, const Outputs& outputs, Casting casting) {
  static constexpr const char* rules[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k]) continue;
    DType to = outputs[k].dtype();
    if (can_cast(signature.out[k], to, casting)) {
      warn_when_complex_is_cut(signature.out[k], to);
      continue;
    }
    std::string number = outputs.size() > 1 ? format(" {}", k) : "";
    throw UfuncTypeError(
        format("Cannot cast ufunc '{}' output{} from dtype('{}') to dtype('{}') with casting rule '{}'", op.name,
               number, name(signature.out[k]), name(to), rules[static_cast<int>(casting)]));
  }
}

/// The arrays of out=; null where the result is to be allocated.
Outputs to_outputs(const UfuncCall& call) {
  Outputs outputs(call.op.nout);
  for (size_t k = 0; k < call.outputs.size(); ++k) {
    PyObject* out = call.outputs[k];
    if (!out) continue;
    outputs[k] = to_output_array(out);
  }
  return outputs;
}

/// Broadcasts the operands to `shape`, where outputs are larger than the operands.
void stretch(Operands& operands, const Dims& shape) {
  bool all_scalars = true;
  for (Operand& o : operands) {
    if (o.is_scalar() || o.array.ndim() > static_cast<int>(shape.size())) continue;
    all_scalars = false;
    if (!(o.array.shape() == shape)) o.array.view = o.array.view.broadcast_to(shape);
  }
  if (all_scalars) operands[0] = Operand(Engine::instance().full(shape, operands[0].scalar));
}

/// A tuple of the operands and, where given, the outputs: the arguments in `__array_wrap__`'s context.
Object arguments_of(const UfuncCall& call) {
  const bool any_output =
      std::any_of(call.outputs.begin(), call.outputs.end(), [](PyObject* out) { return out != nullptr; });
  const size_t inputs = call.inputs.size(), count = inputs + (any_output ? call.outputs.size() : 0);
  Object arguments = owned(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; i < count; ++i) {
    PyObject* argument = i < inputs ? call.inputs[i] : call.outputs[i - inputs];
    PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i), Py_NewRef(argument ? argument : Py_None));
  }
  return arguments;
}

PyObject* wrap_one(const UfuncCall& call, PyObject* wrapper, size_t k, Array& result) {
  PyObject* out = call.outputs.empty() ? nullptr : call.outputs[k];
  if (out && !has_own_wrap(out)) return Py_NewRef(out);
  if (!out && !wrapper)
    return checked(result.ndim() == 0 && !call.always_array ? wrap_result(std::move(result)) : wrap(std::move(result)));
  Object arguments = arguments_of(call);
  const WrapContext context{ufunc_of(call.op), arguments.get(), static_cast<int>(k), !out && !call.always_array};
  return out ? wrap_output(out, context) : wrap_in_class(wrapper, std::move(result), context);
}

template <class One>
PyObject* as_result(size_t count, One one) {
  if (count == 1) return one(0);
  Object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t k = 0; k < count; ++k) PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(k), one(k));
  return tuple.release();
}

PyObject* apply_to_scalars(const UfuncCall& call, const ops::Signature& signature, const Operands& operands) {
  std::array<Scalar, ops::max_results> results;
  const std::span<Scalar> made(results.data(), call.op.nout);
  handle_events(eager::run_scalars(call.op, signature, operands, made, watches_underflow()), call.op.name);
  return as_result(call.op.nout,
                   [&](size_t k) { return checked(make_numpy_scalar(results[k].dtype, results[k].bytes)); });
}

/// order='A': Fortran order when every operand is in Fortran order and not also in C order.
Order result_order(Order order, const Operands& operands) {
  if (order != Order::a) return order;
  bool fortran = false;
  for (const Operand& o : operands) {
    if (o.is_scalar() || o.array.view.is_c_contiguous()) continue;
    if (!o.array.view.is_f_contiguous()) return Order::c;
    fortran = true;
  }
  return fortran ? Order::f : Order::c;
}

/// casting='no' does not allow swapped bytes.
void check_byte_orders(const UfuncCall& call) {
  if (call.casting != Casting::no) return;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    PyObject* input = call.inputs[i];
    if (!PyArray_Check(input) || PyArray_ISNOTSWAPPED(reinterpret_cast<PyArrayObject*>(input))) continue;
    throw UfuncTypeError(format("Cannot cast ufunc '{}' input{} of swapped bytes with casting rule 'no'", call.op.name,
                                call.inputs.size() > 1 ? format(" {}", i) : ""));
  }
}

/// Casts operands to the loop's types where the cast may lose values, so that its floating-point events are reported
/// before the loop runs.
void cast_lossy(const ops::Signature& signature, Operands& operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const DType from = operands[i].dtype(), to = signature.in[i];
    if (operands[i].is_scalar() || can_cast(from, to, Casting::safe) || (is_integer(from) && is_integer(to))) continue;
    operands[i] = Operand(copy_array(operands[i].array, to, Order::k));
  }
}

/// Runs the op at once on small settled arrays; false, with nothing done, for others.
bool try_eager(const ops::Op& op, const ops::Signature& signature, const Operands& operands, const Dims& shape,
               Outputs& outputs) {
  const bool underflow = watches_underflow();
  if (underflow) Engine::instance().synchronize();  // arrays of any size are then checked here
  const auto events = eager::try_call(op, signature, operands, shape, outputs, underflow);
  if (events) handle_events(*events, op.name);
  return events.has_value();
}

void record(const ops::Op& op, const ops::Signature& signature, Operands& operands, const Dims& shape, Outputs& outputs,
            const Operand* where) {
  const Context context = current_context();
  stretch(operands, shape);
  Engine::instance().map(op, signature, operands, outputs, where, context);
  finish_events(context.errors);
}

void warn_about_where() {
  checked(PyErr_WarnEx(
      PyExc_UserWarning,
      "'where' used without 'out', expect unitialized memory in output. If this is intentional, use out=None.", 1));
}

}  // namespace

PyObject* apply(const UfuncCall& call) {
  check_byte_orders(call);
  Operands operands;
  operands.reserve(call.inputs.size());
  for (PyObject* input : call.inputs) operands.push_back(to_native_operand(input));
  Outputs outputs = to_outputs(call);
  std::optional<Operand> where = to_where(call.where);
  if (where && call.outputs.empty()) warn_about_where();

  const ops::Signature& signature = choose(call.op, operands, call.fixed, call.casting);
  for (size_t k = 0; k < operands.size(); ++k) warn_when_complex_is_cut(operands[k].dtype(), signature.in[k]);
  settle_scalars(signature, operands);
  if (!where) cast_lossy(signature, operands);
  check_output_casts(call.op, signature, outputs, call.casting);
  check_integer_power(call.op, signature, operands, where ? &*where : nullptr);
  bool no_outputs = std::none_of(outputs.begin(), outputs.end(), [](const Array& a) { return static_cast<bool>(a); });
  bool scalars = std::all_of(operands.begin(), operands.end(), [](const Operand& o) { return o.is_scalar(); });
  PyObject* wrapper = !call.keeps_class ? nullptr : find_wrapper(call.inputs.data(), call.inputs.size());
  if (scalars && no_outputs && !where && !call.always_array && !wrapper)
    return apply_to_scalars(call, signature, operands);

  Dims shape = eager::meet_shapes(operands, where ? &*where : nullptr, outputs);
  if (call.order != Order::k) {
    Order order = result_order(call.order, operands);
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (!outputs[k]) outputs[k] = Engine::instance().empty(shape, signature.out[k], order);
    }
  }
  if (where || !try_eager(call.op, signature, operands, shape, outputs))
    record(call.op, signature, operands, shape, outputs, where ? &*where : nullptr);
  return as_result(call.op.nout, [&](size_t k) { return wrap_one(call, wrapper, k, outputs[k]); });
}

}  // namespace tessera::bind
