// Views of arrays in other shapes, and what fills or joins arrays.
#include <algorithm>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/memory.h"
#include "tessera/kernel/values/array/whole.h"

namespace tessera::kernel {

namespace {

ir::Value product(Lowering& l, std::span<const ir::Value> extents) {
  ir::Value count = l.b.constant(DType::int64, 1);
  for (ir::Value extent : extents) count = l.b.mul(count, extent);
  return count;
}

Item copy_flat(Lowering& l, const Call& call, const Item& array) {
  const Item copy = copy_of(l, call.node, array);
  return own_array(l, array.type->dtype, view_of(l, copy).bases[0].begins[0],
                   std::vector{product(l, shape_of(l, array).values)});
}

Item lower_flatten(Lowering& l, const Builtin& self, const Call& call) {
  return copy_flat(l, call, array_argument(l, self, call));
}

Item lower_ravel(Lowering& l, const Builtin& self, const Call& call) {
  const Item& array = array_argument(l, self, call);
  if (array.type->axes == 1) return l.in_memory(call.node, array);
  if (!l.options.is_function) return copy_flat(l, call, array);
  return flattened(l, call.node, array, false);
}

/// The extents that the arguments from the second on say; one that is negative is what the others leave.
std::vector<ir::Value> wanted_shape(Lowering& l, const Call& call, ir::Value count) {
  std::vector<Item> items(call.args.begin() + 1, call.args.end());
  if (items.size() == 1 && items[0].type->kind == TypeKind::tuple) {
    const Item tuple = items[0];
    items.clear();
    for (size_t k = 0; k < tuple.type->elements.size(); ++k) items.push_back(element(tuple, k));
  }
  ir::Builder& b = l.b;
  std::vector<ir::Value> given;
  const ir::Value one = b.constant(DType::int64, 1), zero = b.constant(DType::int64, 0);
  ir::Value known = one;
  for (const Item& item : items) {
    if (!item.type.is_scalar() || !is_integer(item.type->dtype))
      l.fail(call.node, format("a shape with {}", describe(item.type)), "integers");
    given.push_back(l.cast(item, DType::int64));
    known = b.mul(known, b.select(b.lt(given.back(), zero), one, given.back()));
  }
  const ir::Value rest = b.binary(ir::Opcode::div, count, b.max(known, one));
  std::vector<ir::Value> extents;
  for (ir::Value extent : given) extents.push_back(b.select(b.lt(extent, zero), rest, extent));
  l.failures.raise_if(call.node, b.ne(product(l, extents), count), ExceptionNumber::value_error,
                      "the new shape has another number of elements than the array");
  return extents;
}

Item lower_reshape(Lowering& l, const Builtin& self, const Call& call) {
  if (call.args.size() < 2) l.fail(call.node, format("{} without a shape", self.name), "a.reshape(2, -1)");
  Item array = l.in_memory(call.node, array_argument(l, self, call));
  if (!l.options.is_function && array.type->axes != 1)
    l.refuse(call.node, format("{} of an array of {} axes in a kernel", self.name, array.type->axes),
             "the reshaped array as the argument");
  if (array.type->axes != 1) array = flattened(l, call.node, array, true);
  ArrayView view = view_of(l, array);
  const std::vector<ir::Value> extents = wanted_shape(l, call, product(l, shape_of(l, array).values));
  ir::Value step = view.axes.back().step;
  const int along = view.bases[0].kept.back();
  view.axes.clear();
  for (size_t axis = extents.size(); axis-- > 0;) {
    view.axes.insert(view.axes.begin(), {step, extents[axis]});
    step = l.b.mul(step, extents[axis]);
  }
  for (ArrayView::Base& base : view.bases)
    base.kept.assign(extents.size(), base.kept.empty() ? along : base.kept.back());
  return view.item();
}

Item lower_transpose(Lowering& l, const Builtin& self, const Call& call) {
  ArrayView view = view_of(l, l.in_memory(call.node, array_argument(l, self, call)));
  std::ranges::reverse(view.axes);
  for (ArrayView::Base& base : view.bases) std::ranges::reverse(base.kept);
  return view.item();
}

Item lower_fill(Lowering& l, const Builtin& self, const Call& call) {
  const Item& array = array_argument(l, self, call);
  if (!array.type.is_array()) l.fail(call.node, "fill of what is computed", "numpy.full(shape, value)");
  store(l, call.node, view_of(l, array), call.args[1]);
  return {};
}

Item lower_item(Lowering& l, const Builtin& self, const Call& call) {
  const Item& array = array_argument(l, self, call);
  const std::vector<ir::Value> shape = shape_of(l, array).values;
  l.failures.raise_if(call.node, l.b.ne(product(l, shape), l.constant(1).values[0]), ExceptionNumber::value_error,
                      "can only convert an array of size 1 to a Python scalar");
  return element_of(l, array, std::vector<ir::Value>(shape.size(), l.constant(0).values[0]));
}

Item lower_dot(Lowering& l, const Builtin&, const Call& call) {
  const Item& x = call.args[0];
  const Item& y = call.args[1];
  if (x.type.is_scalar() || y.type.is_scalar()) return binary(l, call.node, "*", x, y);
  return matrix_product(l, call.node, x, y);
}

}  // namespace

void add_shape_builtins(std::vector<Builtin>& table) {
  table.push_back({"array.flatten", "a", lower_flatten});
  table.push_back({"array.ravel", "a", lower_ravel});
  table.push_back({"numpy.ravel", "a", lower_ravel});
  table.push_back({"array.reshape", "*", lower_reshape});
  table.push_back({"numpy.reshape", "*", lower_reshape});
  table.push_back({"array.transpose", "a", lower_transpose});
  table.push_back({"numpy.transpose", "a", lower_transpose});
  table.push_back({"array.fill", "a value", lower_fill});
  table.push_back({"array.item", "a", lower_item});
  table.push_back({"number.item", "a", [](Lowering&, const Builtin&, const Call& call) { return call.args[0]; }});
  table.push_back({"array.dot", "a b", lower_dot});
  table.push_back({"numpy.dot", "a b", lower_dot});
  table.push_back({"numpy.matmul", "x1 x2", lower_dot});
}

}  // namespace tessera::kernel
