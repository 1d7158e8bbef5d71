// Views of arrays along other axes: what the library's functions in Python make NumPy's of.
#include <algorithm>
#include <span>
#include <vector>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/memory.h"
#include "tessera/kernel/values/date/date.h"

namespace tessera::kernel {

namespace {

/// The integers of a tuple.
std::vector<ir::Value> integers_of(Lowering& l, const Builtin& self, const Call& call, const Item& tuple) {
  if (tuple.type->kind != TypeKind::tuple)
    l.fail(call.node, format("{} takes a tuple, not {}", self.name, describe(tuple.type)), "a tuple of integers");
  std::vector<ir::Value> values;
  for (size_t k = 0; k < tuple.type->elements.size(); ++k) {
    const Item item = element(tuple, k);
    if (!item.type.is_scalar() || !is_integer(item.type->dtype))
      l.fail(call.node, format("{} takes integers, not {}", self.name, describe(tuple.type)), "int(n)");
    values.push_back(l.cast(item, DType::int64));
  }
  return values;
}

/// The elements from the array's first one on, as many along each axis and so many bytes apart.
Item strided(Lowering& l, const Node& node, const Item& held, std::span<const ir::Value> extents,
             std::span<const ir::Value> strides) {
  ir::Builder& b = l.b;
  const ArrayView view = view_of(l, held);
  if (!l.options.is_function || view.bases.size() > 1 || view.bases[0].array->is_constant)
    l.refuse(node, "a view along other axes in a kernel, of an array outside, or of one array or another",
             "a copy of it");
  const ir::Value size = l.number(itemsize(held.type->dtype));
  const ir::Value address = first_address(l, node, held);
  std::vector<ir::Value> steps;
  ir::Value is_between = b.ne(b.binary(ir::Opcode::rem, address, size), l.number(0));
  for (ir::Value stride : strides) {
    is_between = b.bit_or(is_between, b.ne(b.binary(ir::Opcode::rem, stride, size), l.number(0)));
    steps.push_back(b.binary(ir::Opcode::div, stride, size));
  }
  l.failures.raise_if(node, is_between, ExceptionNumber::value_error,
                      "the array's elements are at no multiples of their size: copy it first");
  const int argument = l.memory.argument_of(view.bases[0].array);
  const ir::Value begin = b.binary(ir::Opcode::div, address, size);
  return with_unit(own_array(l, {held.type->dtype, argument}, begin, extents, steps), held.type->unit);
}

Item lower_strided(Lowering& l, const Builtin& self, const Call& call) {
  const Item held = l.in_memory(call.node, array_argument(l, self, call));
  return strided(l, call.node, held, integers_of(l, self, call, call.args[1]),
                 integers_of(l, self, call, call.args[2]));
}

/// The array with its axes in another order.
Item lower_permuted(Lowering& l, const Builtin& self, const Call& call) {
  ir::Builder& b = l.b;
  const Item held = l.in_memory(call.node, array_argument(l, self, call));
  const std::vector<ir::Value> order = integers_of(l, self, call, call.args[1]);
  const ArrayView from = view_of(l, held);
  const auto is_known = [&](ir::Value axis) { return l.constant_of(l.scalar(axis)) != nullptr; };
  if (std::ranges::all_of(order, is_known)) {
    ArrayView view = from;
    for (size_t k = 0; k < order.size(); ++k) {
      const auto axis = static_cast<size_t>(l.constant_of(l.scalar(order[k]))->as_int());
      view.axes[k] = from.axes[axis];
      for (size_t n = 0; n < view.bases.size(); ++n) view.bases[n].kept[k] = from.bases[n].kept[axis];
    }
    return with_unit(view.item(), held.type->unit);
  }
  const std::vector<ir::Value> shape = shape_of(l, held).values, strides = strides_of(l, from);
  std::vector<ir::Value> extents, steps;
  const auto chosen = [&](const std::vector<ir::Value>& values, ir::Value axis) {
    ir::Value value = values[0];
    for (size_t k = 1; k < values.size(); ++k)
      value = b.select(b.eq(axis, l.number(static_cast<int64_t>(k))), values[k], value);
    return value;
  };
  for (ir::Value axis : order) {
    extents.push_back(chosen(shape, axis));
    l.facts.set_lower_bound(extents.back(), 0);
    steps.push_back(chosen(strides, axis));
  }
  return strided(l, call.node, held, extents, steps);
}

/// The array's elements, repeated along new axes before its own and along those of one element: it fits the extents.
Item lower_repeated(Lowering& l, const Builtin& self, const Call& call) {
  ir::Builder& b = l.b;
  ArrayView view = view_of(l, l.in_memory(call.node, array_argument(l, self, call)));
  const std::vector<ir::Value> extents = integers_of(l, self, call, call.args[1]);
  const size_t more = extents.size() - view.axes.size();
  for (size_t k = 0; k < more; ++k) {
    view.axes.insert(view.axes.begin(), {l.number(0), l.number(1)});
    for (ArrayView::Base& base : view.bases) base.kept.insert(base.kept.begin(), -1);
  }
  for (size_t k = 0; k < extents.size(); ++k) {
    ArrayView::Axis& axis = view.axes[k];
    if (k >= more) axis.step = b.select(b.eq(axis.extent, extents[k]), axis.step, l.number(0));
    axis.extent = extents[k];
  }
  return with_unit(view.item(), call.args[0].type->unit);
}

/// The array's memory from a byte on as elements of another dtype: of so many along each axis, so many bytes apart.
Item lower_reinterpreted(Lowering& l, const Builtin& self, const Call& call) {
  ir::Builder& b = l.b;
  const Item held = l.in_memory(call.node, array_argument(l, self, call));
  const std::vector<ir::Value> extents = integers_of(l, self, call, call.args[3]);
  const std::vector<ir::Value> strides = integers_of(l, self, call, call.args[4]);
  const ArrayView view = view_of(l, held);
  const std::optional<DType> dtype = dtype_meant(call.args[1].type);
  if (!dtype || !l.options.is_function || view.bases.size() > 1 || view.bases[0].array->is_constant)
    l.refuse(call.node, "a view of another dtype in a kernel, of an array outside, or of one array or another",
             "a copy of it");
  const ir::Value size = l.number(itemsize(*dtype));
  const ir::Value address = b.add(first_address(l, call.node, held), l.cast(call.args[2], DType::int64));
  std::vector<ir::Value> steps;
  for (ir::Value stride : strides) steps.push_back(b.binary(ir::Opcode::div, stride, size));
  const int argument = l.memory.argument_of(view.bases[0].array);
  return own_array(l, {*dtype, argument}, b.binary(ir::Opcode::div, address, size), extents, steps);
}

}  // namespace

void add_view_builtins(std::vector<Builtin>& table) {
  table.push_back({"builtins.permuted", "a order", lower_permuted});
  table.push_back({"builtins.repeated", "a shape", lower_repeated});
  table.push_back({"builtins.reinterpreted", "a dtype begin shape strides", lower_reinterpreted});
  table.push_back({"builtins.strided", "a shape strides", lower_strided});
}

}  // namespace tessera::kernel
