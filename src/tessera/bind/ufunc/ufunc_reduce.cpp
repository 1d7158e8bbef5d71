/// ufunc.reduce, accumulate and reduceat.
#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/bind/array/array_wrap.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/arguments.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/index/assign.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/bind/ufunc/host_reduction.h"
#include "tessera/bind/ufunc/ufunc_arguments.h"
#include "tessera/bind/ufunc/ufunc_object.h"
#include "tessera/eager/host_array.h"
#include "tessera/eager/reduction.h"

namespace tessera::bind {

namespace {

void check_reducible(const ops::Op& op, const char* method) {
  require<ValueError>(op.nin == 2, "{} only supported for binary functions", method);
  require<ValueError>(op.nout == 1, "{} only supported for functions returning a single value", method);
}

/// Null when the argument is absent or NumPy's marker for absent arguments.
PyObject* given(PyObject* object) {
  static constinit Imported no_value("numpy", "_NoValue");
  return object == no_value ? nullptr : object;
}

/// The array in the type of a reduction's loop.
Array as_type(const Array& source, DType type) {
  warn_when_complex_is_cut(source.dtype(), type);
  return source.dtype() == type ? source : Engine::instance().copy(source, type, Order::k);
}

Array to_output(PyObject* out) { return out ? to_output_array(out) : Array{}; }

std::optional<DType> type_of(const Array& array) { return array ? std::optional(array.dtype()) : std::nullopt; }

/// Returns the result to the caller: in `out`, or as a new object of the class of the reduced `array`.
PyObject* deliver(const ops::Op& op, PyObject* array, Array result, PyObject* out_object, const Array& out,
                  PyObject* out_argument) {
  if (!out) {
    const bool as_array = out_argument == Py_Ellipsis;
    PyObject* made = as_array ? wrap(std::move(result)) : wrap_result(std::move(result));
    return checked(is_derived(array) ? in_class_of(array, made) : made);
  }
  require<ValueError>(
      out.ndim() == result.ndim(),
      "output parameter for reduction operation {} has the wrong number of dimensions: Found {} but expected {}",
      op.name, out.ndim(), result.ndim());
  require<ValueError>(out.shape() == result.shape(),
                      "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
                      shape_text(out.shape()), shape_text(result.shape()));
  record_assign(out, result);
  return Py_NewRef(out_object);
}

/// initial= as an element of the loop's type: the given value, or the op's identity; nothing for None or an op without
/// an identity.
std::optional<Scalar> to_initial(const ops::Op& op, PyObject* initial, DType type) {
  if (initial == Py_None) return std::nullopt;
  if (!initial) {
    if (!op.identity) return std::nullopt;
    return Scalar::of_float(DType::float64, *op.identity).cast_to(type);
  }
  require<TypeError>(!PyList_Check(initial) && !PyTuple_Check(initial), "initial must be a number, not {}",
                     Py_TYPE(initial)->tp_name);
  Operand operand = to_native_operand(initial);
  if (operand.is_scalar()) return operand.scalar.cast_to(type);
  require<ValueError>(operand.array.size() == 1, "Input object to FillWithScalar is not a scalar");
  Scalar scalar;
  scalar.dtype = operand.dtype();
  std::copy_n(Engine::instance().read(operand.array), itemsize(operand.dtype()), reinterpret_cast<char*>(scalar.bytes));
  return scalar.cast_to(type);
}

int64_t reduced_count(const Array& source, std::span<const int> axes) {
  int64_t n = 1;
  for (int axis : axes) n *= source.shape()[axis];
  return n;
}

Dims kept_shape(const Array& source, std::span<const int> axes) {
  Dims kept;
  for (int i = 0; i < source.ndim(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) kept.push_back(source.shape()[i]);
  }
  return kept;
}

struct Reduction {
  const ops::Op& op;
  const ops::Signature& signature;
  Array source;
  std::vector<int> axes;
  PyObject* initial;  // as passed
  std::optional<Operand> where;
  bool gives_scalar;  // when no axis is left
};

/// Whether the total itself must be checked once it is synchronised: kernels do not record floating-point events of
/// reductions.
bool tells_of_events(const Reduction& r, const Array& result) {
  const bool watched = r.op.errors != ir::ErrorRule::none && !r.op.user && !is_integer(result.dtype()) &&
                       r.source.dtype() == result.dtype();
  return watched && result.ndim() == 0 && !r.where && !r.initial;
}

Array run_engine(const Reduction& r, const std::optional<Scalar>& start) {
  warn_when_complex_is_cut(r.source.dtype(), r.signature.in[0]);
  ReduceOptions options{.axes = r.axes, .dtype = r.signature.in[0]};
  if (r.initial && start) options.initial = Operand(*start);
  options.where = r.where;
  Context context = current_context();
  Array result = Engine::instance().reduce(r.op, r.source, options, context);
  finish_events(context.errors);
  if (tells_of_events(r, result) && !(r.gives_scalar && may_be_lazy(result))) report_total(r.source, result);
  return result;
}

/// any and all of settled dense booleans stop at the first element that decides, as NumPy's do.
std::optional<bool> decide_early(const Reduction& r) {
  static const ops::OpId any = ops::OpTable::standard().find("logical_or")->id;
  static const ops::OpId all = ops::OpTable::standard().find("logical_and")->id;
  const bool plain = r.source.dtype() == DType::boolean && r.source.view.is_c_contiguous() && !r.initial && !r.where &&
                     static_cast<int>(r.axes.size()) == r.source.ndim();
  if ((r.op.id != any && r.op.id != all) || !plain || !Engine::instance().at_once(r.source)) return std::nullopt;
  const auto* data = reinterpret_cast<const unsigned char*>(Engine::instance().read(r.source));
  const int64_t n = r.source.size();
  constexpr int64_t block = 4096;
  for (int64_t at = 0; at < n; at += block) {
    const int64_t end = std::min(n, at + block);
    unsigned char some = 0;
    unsigned char every = 1;
    for (int64_t i = at; i < end; ++i) {
      some |= data[i];
      every &= data[i] != 0;
    }
    if (r.op.id == any && some) return true;
    if (r.op.id == all && !every) return false;
  }
  return r.op.id == all;
}

Array run(const Reduction& r) {
  DType type = r.signature.in[0];
  std::optional<Scalar> start = to_initial(r.op, r.initial, type);
  require<ValueError>(
      !r.where || start,
      "reduction operation '{}' does not have an identity, so to use a where mask one has to specify 'initial'",
      r.op.name);
  Dims kept = kept_shape(r.source, r.axes);
  if (reduced_count(r.source, r.axes) == 0 || r.source.size() == 0) {
    require<ValueError>(start || reduced_count(r.source, r.axes) != 0,
                        "zero-size array to reduction operation {} which has no identity", r.op.name);
    return start ? Engine::instance().full(kept, *start) : Engine::instance().empty(kept, type);
  }
  if (const std::optional<bool> known = decide_early(r)) {
    return Engine::instance().full(kept, Scalar::of_bool(*known));
  }
  if (r.op.reduce) {
    if (!r.where) {
      auto given_start = r.initial ? start : std::nullopt;
      if (auto result = try_reduce_at_once(r.op, r.signature, r.source, r.axes, given_start)) return *std::move(result);
    }
    return run_engine(r, start);
  }
  // NumPy keeps the accumulator of these reductions in single precision and rounds once, at the end.
  if (type == DType::float16 && !r.op.user && (r.op.name == "subtract" || r.op.name == "divide")) {
    const ops::Signature& wide = eager::reduction_signature(r.op, DType::float32, DType::float32, {});
    const Array source = Engine::instance().copy(r.source, DType::float32, Order::k);
    if (start) start = start->cast_to(DType::float32);
    return Engine::instance().copy(reduce_axes(r.op, wide, source, r.axes, start, r.where), type, Order::k);
  }
  Array source = as_type(r.source, type);
  return reduce_axes(r.op, r.signature, source, r.axes, start, r.where);
}

Array with_kept_axes(Array result, const Reduction& r) {
  for (int axis : r.axes) result.view = result.view.new_axis(axis);
  return result;
}

}  // namespace

PyObject* ufunc_reduce(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const ops::Op& op = op_of(self);
  check_reducible(op, "reduce");
  refuse_unknown_keywords("reduce", names, {"array", "axis", "dtype", "out", "keepdims", "initial", "where"});
  Arguments a("reduce", args, nargs, names);
  PyObject* array = a.needed(0, "array");
  PyObject* axis = given(a.at(1, "axis"));
  std::optional<DType> dtype = to_native_dtype(given(a.at(2, "dtype")));
  require<TypeError>(nargs <= 3 || args[3] != Py_Ellipsis, "out=... is only allowed as a keyword argument.");
  PyObject* out_argument = given(a.at(3, "out"));
  PyObject* out_object = to_single_out(out_argument);
  PyObject* keepdims = given(a.at(4, "keepdims"));
  PyObject* initial = given(a.at(5, "initial"));
  PyObject* where = given(a.at(6, "where"));
  a.finish(7);

  Array out = to_output(out_object);
  Array source = to_native_array(array);
  bool keeps = keepdims && PyObject_IsTrue(keepdims) > 0;
  Reduction r{.op = op,
              .signature = eager::reduction_signature(op, source.dtype(), dtype, type_of(out)),
              .source = source,
              .axes = to_axes(axis, source.ndim()),
              .initial = initial,
              .where = to_where(where),
              .gives_scalar = !keeps && !out && out_argument != Py_Ellipsis};
  require<ValueError>(op.reorderable || r.axes.size() <= 1,
                      "reduction operation '{}' is not reorderable, so at most one axis may be specified", op.name);
  Array result = run(r);
  if (keeps) result = with_kept_axes(std::move(result), r);
  const bool told = tells_of_events(r, result);
  PyObject* delivered = deliver(op, array, std::move(result), out_object, out, out_argument);
  if (told && is_lazy(delivered) && is_ndarray(array)) watch_total(delivered, array, current_context());
  return delivered;
}

PyObject* ufunc_accumulate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const ops::Op& op = op_of(self);
  check_reducible(op, "accumulate");
  refuse_unknown_keywords("accumulate", names, {"array", "axis", "dtype", "out"});
  Arguments a("accumulate", args, nargs, names);
  PyObject* array = a.needed(0, "array");
  PyObject* axis = a.at(1, "axis");
  std::optional<DType> dtype = to_native_dtype(given(a.at(2, "dtype")));
  PyObject* out_argument = given(a.at(3, "out"));
  a.finish(4);
  PyObject* out_object = to_single_out(out_argument);
  Array out = to_output(out_object);
  Array source = to_native_array(array);
  require<TypeError>(source.ndim() > 0, "cannot accumulate on a scalar");
  std::vector<int> axes = to_axes(axis, source.ndim());
  require<ValueError>(axes.size() == 1, "accumulate does not allow multiple axes");
  const ops::Signature& signature = eager::reduction_signature(op, source.dtype(), dtype, type_of(out));
  Array typed = as_type(source, signature.in[0]);
  return deliver(op, array, scan_axis(op, signature, typed, axes[0]), out_object, out, Py_Ellipsis);
}

PyObject* ufunc_reduceat(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const ops::Op& op = op_of(self);
  check_reducible(op, "reduceat");
  refuse_unknown_keywords("reduceat", names, {"array", "indices", "axis", "dtype", "out"});
  Arguments a("reduceat", args, nargs, names);
  PyObject* array = a.needed(0, "array");
  PyObject* indices = a.needed(1, "indices");
  PyObject* axis_argument = a.at(2, "axis");
  std::optional<DType> dtype = to_native_dtype(given(a.at(3, "dtype")));
  PyObject* out_argument = given(a.at(4, "out"));
  a.finish(5);
  PyObject* out_object = to_single_out(out_argument);
  Array out = to_output(out_object);
  Array source = to_native_array(array);
  require<TypeError>(source.ndim() > 0, "cannot reduceat on a scalar");
  std::vector<int> axes = to_axes(axis_argument, source.ndim());
  require<ValueError>(axes.size() == 1, "reduceat does not allow multiple axes");

  Array positions = to_native_array(indices);
  require<TypeError>(positions.size() == 0 || is_integer(positions.dtype()) || is_boolean(positions.dtype()),
                     "Cannot cast array data from dtype('{}') to dtype('int64') according to the rule 'safe'",
                     name(positions.dtype()));
  require<ValueError>(positions.ndim() <= 1, "object too deep for desired array");
  Array packed = Engine::instance().contiguous(positions, DType::int64);
  const auto* first = reinterpret_cast<const int64_t*>(Engine::instance().read(packed));
  std::vector<int64_t> starts(first, first + packed.size());
  int64_t length = source.shape()[axes[0]];
  for (int64_t start : starts) {
    require<IndexError>(start >= 0 && start < length, "index {} out-of-bounds in {}.reduceat [0, {})", start, op.name,
                        length);
  }
  const ops::Signature& signature = eager::reduction_signature(op, source.dtype(), dtype, type_of(out));
  Array typed = as_type(source, signature.in[0]);
  return deliver(op, array, reduce_slices(op, signature, typed, starts, axes[0]), out_object, out, Py_Ellipsis);
}

}  // namespace tessera::bind
