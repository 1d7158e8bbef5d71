// Reductions: of tuples as Python has them, of arrays as NumPy's methods and functions.
#include <limits>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/row.h"
#include "tessera/kernel/values/list/list.h"

namespace tessera::kernel {

namespace {

/// What a reduction runs over: an array, a number as one without axes, or what NumPy makes an array of.
Item elements_of(Lowering& l, const Builtin& self, const Call& call) {
  const Item& over = call.args[0];
  if (over.type.is_scalar())
    return computed(over.type->dtype, {}, [over](std::span<const ir::Value>) { return over; }, {});
  if (over.type->kind == TypeKind::tuple && l.options.is_function) {
    const Builtin& array = *find_builtin("numpy.array");
    return array.lower(l, array, {call.node, {over, {}}, {true, false}});
  }
  return array_argument(l, self, call);
}

/// Joins a tuple's elements, or an array's, from the left.
template <class Join>
Item join_all(Lowering& l, const Call& call, const Item& over, Item first, Join join) {
  if (over.type.is_array_like()) return reduce(l, over, first, join);
  if (over.type->kind != TypeKind::tuple) l.fail(call.node, format("{} has no elements to join", describe(over.type)));
  for (size_t k = 0; k < over.type->elements.size(); ++k) first = join(first, element(over, k));
  return first;
}

Item lower_sum(Lowering& l, const Builtin&, const Call& call) {
  const Item& over = call.args[0];
  Item first = call.given[1] ? call.args[1] : l.constant(0);
  const auto add = [&](const Item& a, const Item& b) { return binary(l, call.node, "+", a, b); };
  if (over.type.is_array_like()) first = l.convert(first, add(first, l.zero(Type::scalar(over.type->dtype))).type);
  return join_all(l, call, over, first, add);
}

template <bool all>
Item lower_all(Lowering& l, const Builtin& self, const Call& call) {
  const Item over = self.name.starts_with("builtins.") ? call.args[0] : elements_of(l, self, call);
  const Item first = l.scalar(l.b.constant(Scalar::of_bool(all)));
  return join_all(l, call, over, first, [&](const Item& a, const Item& b) {
    const ir::Value next = truth(l, call.node, b);
    return l.scalar(all ? both(l, a.values[0], next) : l.b.bit_or(a.values[0], next));
  });
}

/// NumPy sums narrow integers in 64 bits, floats in their own type.
DType accumulator(DType t) { return is_integer(t) || is_boolean(t) ? arithmetic_dtype(t, t) : t; }

template <ir::Opcode op>
Item lower_accumulation(Lowering& l, const Builtin& self, const Call& call) {
  const Item array = elements_of(l, self, call);
  const DType in = accumulator(array.type->dtype);
  const Item first = l.scalar(l.b.constant(in, op == ir::Opcode::mul ? 1 : 0));
  const auto join = [&](const Item& a, const Item& b) { return l.scalar(l.b.binary(op, a.values[0], l.cast(b, in))); };
  // NumPy multiplies floats one after another.
  const bool is_in_order = op == ir::Opcode::mul && !is_integer(in) && !l.options.is_parallel;
  if (is_in_order) return reduce(l, array, first, join);
  return reduce(l, array, first, join, op == ir::Opcode::mul ? ir::ReduceKind::mul : ir::ReduceKind::add);
}

/// "max" of "numpy.amax" and "array.max".
std::string method_of(const Builtin& self) {
  const std::string name(self.name.substr(self.name.rfind('.') + 1));
  return name == "amax" || name == "amin" ? name.substr(1) : name;
}

/// Of complex numbers, by the library's function, or NumPy's.
Item reduce_on_host(Lowering& l, const Builtin& self, const Call& call) {
  const std::string in_library = format("complex.{}", method_of(self));
  if (l.options.is_function && call.args[0].type.is_array_like() && call.args[0].type->axes > 0 &&
      find_library(l, in_library))
    return call_library(l, call.node, in_library, {l.in_memory(call.node, call.args[0])});
  const std::string name = format("numpy.{}", method_of(self));
  const std::shared_ptr<const HostObject> host = l.options.is_function ? l.environment.host_method(name) : nullptr;
  if (!host) l.fail(call.node, format("{} of complex numbers", self.name), "of .real and .imag");
  return l.host_calls.call_object(call.node, host, self.name, {call.args[0]}, {});
}

/// Raises ValueError where there are no elements, in functions that the host calls.
void require_elements(Lowering& l, const Call& call, const Item& array, std::string_view text) {
  if (!l.options.is_function) return;
  ir::Value is_empty = l.b.constant(Scalar::of_bool(false));
  for (ir::Value extent : shape_of(l, array).values)
    is_empty = l.b.bit_or(is_empty, l.b.eq(extent, l.b.zero_like(extent)));
  l.failures.raise_if(call.node, is_empty, ExceptionNumber::value_error, text);
}

template <ir::ReduceKind kind>
Item lower_extreme(Lowering& l, const Builtin& self, const Call& call) {
  constexpr bool is_max = kind == ir::ReduceKind::max;
  const Item array = elements_of(l, self, call);
  const DType t = array.type->dtype;
  if (is_complex(t)) return reduce_on_host(l, self, call);
  require_elements(
      l, call, array,
      format("zero-size array to reduction operation {} which has no identity", is_max ? "maximum" : "minimum"));
  if (is_boolean(t)) return is_max ? lower_all<false>(l, self, call) : lower_all<true>(l, self, call);
  const auto join = [&](const Item& a, const Item& b) {
    return l.scalar(l.b.binary(ir::combining_opcode(kind), a.values[0], b.values[0]));
  };
  return reduce(l, array, l.scalar(l.b.constant(ir::identity(kind, t))), join, kind);
}

/// The place of the least or the greatest element in C order: the first of equal ones, or the first NaN.
template <ir::Opcode precedes>
Item lower_place(Lowering& l, const Builtin& self, const Call& call) {
  const Item array = elements_of(l, self, call);
  const DType t = is_boolean(array.type->dtype) ? DType::int8 : array.type->dtype;
  if (is_complex(t)) return reduce_on_host(l, self, call);
  require_elements(l, call, array, format("attempt to get {} of an empty sequence", method_of(self)));
  if (l.options.is_function && array.type->axes > 0 && !array.type->unit)
    return call_library(l, call.node, format("place.{}", method_of(self)), {l.in_memory(call.node, array)});
  ir::Builder& b = l.b;
  // How many were seen, the best of them and its place.
  const Item first = tuple_of({l.constant(0), l.scalar(b.constant(t, 0)), l.constant(-1)});
  const Item last = reduce(l, array, first, [&](const Item& sofar, const Item& next) {
    const ir::Value count = sofar.values[0], best = sofar.values[1], x = l.cast(next, t);
    ir::Value better = b.compare(precedes, x, best);
    if (is_floating(t))
      better =
          b.bit_or(better, b.bit_and(b.unary(ir::Opcode::is_nan, x), b.bit_not(b.unary(ir::Opcode::is_nan, best))));
    better = b.bit_or(better, b.eq(count, b.zero_like(count)));
    return tuple_of({l.scalar(b.add(count, b.one_like(count))), l.scalar(b.select(better, x, best)),
                     l.scalar(b.select(better, count, sofar.values[2]))});
  });
  return element(last, 2);
}

/// The same of an array of one axis and some elements, by a routine: for the library's functions.
template <RowReduction place>
Item lower_row_place(Lowering& l, const Builtin&, const Call& call) {
  return l.scalar(call_row_routine(l, place, {&call.args[0], 1}));
}

/// Whether there are such routines for the array.
Item lower_has_row_routines(Lowering& l, const Builtin&, const Call& call) {
  const Item& row = call.args[0];
  const DType dtype = row.type->dtype;
  const bool is_known = is_integer(dtype) || is_boolean(dtype) || dtype == DType::float32 || dtype == DType::float64;
  return l.scalar(l.b.constant(Scalar::of_bool(is_known && takes_row_routines(l, {&row, 1}))));
}

/// The sum by as many elements. As in NumPy, integers are summed as doubles, halves as floats, and divided by in
/// doubles.
Item lower_mean(Lowering& l, const Builtin& self, const Call& call) {
  const Item array = elements_of(l, self, call);
  const DType own = array.type->dtype;
  const DType in = is_integer(own) || is_boolean(own) ? DType::float64 : own == DType::float16 ? DType::float32 : own;
  const DType to = own == DType::float16 ? own : in;
  const Item first = l.scalar(l.b.constant(in, 0));
  const auto join = [&](const Item& a, const Item& b) { return l.scalar(l.b.add(a.values[0], l.cast(b, in))); };
  const Item total = reduce(l, array, first, join, ir::ReduceKind::add);
  ir::Value count = l.b.constant(DType::int64, 1);
  for (ir::Value extent : shape_of(l, array).values) count = l.b.mul(count, extent);
  const DType divides = is_complex(in) ? DType::complex128 : DType::float64;
  return l.scalar(l.b.cast(l.b.div(l.cast(total, divides), l.b.cast(count, divides)), to));
}

/// The array with other elements where they are NaN; the array itself where none can be.
Item without_nan(Lowering& l, const Call& call, const Item& array, const Scalar& instead) {
  if (!is_floating(array.type->dtype)) return array;
  return elementwise(l, call.node, {array}, [&l, instead](const std::vector<Item>& x) {
    const ir::Value value = x[0].values[0];
    return l.scalar(l.b.select(l.b.unary(ir::Opcode::is_nan, value), l.b.constant(instead), value));
  });
}

template <ir::Opcode op>
Item lower_nan_accumulation(Lowering& l, const Builtin& self, const Call& call) {
  const Item array = elements_of(l, self, call);
  const Scalar neutral = Scalar::of_int(DType::int64, op == ir::Opcode::mul ? 1 : 0).cast_to(array.type->dtype);
  return lower_accumulation<op>(l, self, {call.node, {without_nan(l, call, array, neutral)}, call.given});
}

// NaN where all elements are, as NumPy's without its warning.
template <ir::ReduceKind kind>
Item lower_nan_extreme(Lowering& l, const Builtin& self, const Call& call) {
  const Item array = elements_of(l, self, call);
  const DType t = array.type->dtype;
  if (!is_floating(t)) return lower_extreme<kind>(l, self, call);
  const Item extreme =
      lower_extreme<kind>(l, self, {call.node, {without_nan(l, call, array, ir::identity(kind, t))}, call.given});
  const Item all = reduce(l, array, l.scalar(l.b.constant(Scalar::of_bool(true))), [&](const Item& a, const Item& b) {
    return l.scalar(both(l, a.values[0], l.b.unary(ir::Opcode::is_nan, b.values[0])));
  });
  const ir::Value nan = l.b.constant(t, std::numeric_limits<double>::quiet_NaN());
  return l.scalar(l.b.select(all.values[0], nan, extreme.values[0]));
}

/// How many elements are true, or are numbers.
Item count_of(Lowering& l, const Item& array, const std::function<ir::Value(const Item&)>& counts) {
  return reduce(l, array, l.constant(0), [&](const Item& sofar, const Item& next) {
    return l.scalar(l.b.add(sofar.values[0], l.b.cast(counts(next), DType::int64)));
  });
}

Item lower_count_nonzero(Lowering& l, const Builtin& self, const Call& call) {
  return count_of(l, elements_of(l, self, call), [&](const Item& x) { return truth(l, call.node, x); });
}

Item lower_nan_mean(Lowering& l, const Builtin& self, const Call& call) {
  const Item array = elements_of(l, self, call);
  if (!is_floating(array.type->dtype)) return lower_mean(l, self, call);
  if (l.options.is_function && array.type->axes > 0 && !l.parallel.runs_at_once())
    return call_library(l, call.node, "all.nanmean", {l.in_memory(call.node, array)});
  const Item total = lower_nan_accumulation<ir::Opcode::add>(l, self, call);
  const Item count =
      count_of(l, array, [&](const Item& x) { return l.b.bit_not(l.b.unary(ir::Opcode::is_nan, x.values[0])); });
  return l.scalar(l.b.div(total.values[0], l.cast(count, total.type->dtype)));
}

// The mean of the squares of what the elements differ from their mean.
Item lower_variance(Lowering& l, const Builtin& self, const Call& call) {
  const Item array = elements_of(l, self, call);
  if (is_complex(array.type->dtype)) return reduce_on_host(l, self, call);
  const bool is_float = array.type->dtype == DType::float32 || array.type->dtype == DType::float64;
  if (is_float && array.type->axes == 1 && !l.parallel.runs_at_once() && takes_row_routines(l, {&array, 1}))
    return l.scalar(call_row_routine(l, RowReduction::variance, {&array, 1}));
  const Item mean = lower_mean(l, self, call);
  const DType in = mean.type->dtype;
  const Item squares = elementwise(l, call.node, {array}, [&l, mean, in](const std::vector<Item>& x) {
    const ir::Value away = l.b.sub(l.cast(x[0], in), mean.values[0]);
    return l.scalar(l.b.mul(away, away));
  });
  return lower_mean(l, self, {call.node, {squares}, call.given});
}

Item lower_deviation(Lowering& l, const Builtin& self, const Call& call) {
  if (is_complex(elements_of(l, self, call).type->dtype)) return reduce_on_host(l, self, call);
  return apply_op(l, call.node, "sqrt", {lower_variance(l, self, call)});
}

}  // namespace

void add_reduction_builtins(std::vector<Builtin>& table) {
  table.push_back({"builtins.least_place", "a", lower_row_place<RowReduction::least_place>});
  table.push_back({"builtins.greatest_place", "a", lower_row_place<RowReduction::greatest_place>});
  table.push_back({"builtins.has_row_routines", "a", lower_has_row_routines});
  table.push_back({"builtins.sum", "iterable start=", lower_sum});
  const auto add = [&](std::string_view method, std::string_view function, auto lower) {
    table.push_back({method, "a", lower});
    table.push_back({function, "a", lower});
  };
  add("builtins.all", "numpy.all", lower_all<true>);
  add("builtins.any", "numpy.any", lower_all<false>);
  table.push_back({"array.all", "a", lower_all<true>});
  table.push_back({"array.any", "a", lower_all<false>});
  add("array.sum", "numpy.sum", lower_accumulation<ir::Opcode::add>);
  add("array.prod", "numpy.prod", lower_accumulation<ir::Opcode::mul>);
  add("array.min", "numpy.amin", lower_extreme<ir::ReduceKind::min>);
  add("array.max", "numpy.amax", lower_extreme<ir::ReduceKind::max>);
  table.push_back({"numpy.min", "a", lower_extreme<ir::ReduceKind::min>});
  table.push_back({"numpy.max", "a", lower_extreme<ir::ReduceKind::max>});
  add("array.argmin", "numpy.argmin", lower_place<ir::Opcode::lt>);
  add("array.argmax", "numpy.argmax", lower_place<ir::Opcode::gt>);
  add("array.mean", "numpy.mean", lower_mean);
  add("array.var", "numpy.var", lower_variance);
  add("array.std", "numpy.std", lower_deviation);
  table.push_back({"numpy.count_nonzero", "a", lower_count_nonzero});
  table.push_back({"numpy.nansum", "a", lower_nan_accumulation<ir::Opcode::add>});
  table.push_back({"numpy.nanprod", "a", lower_nan_accumulation<ir::Opcode::mul>});
  table.push_back({"numpy.nanmin", "a", lower_nan_extreme<ir::ReduceKind::min>});
  table.push_back({"numpy.nanmax", "a", lower_nan_extreme<ir::ReduceKind::max>});
  table.push_back({"numpy.nanmean", "a", lower_nan_mean});
}

}  // namespace tessera::kernel
