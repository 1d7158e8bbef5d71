#include "tessera/kernel/lower/loops/nditer.h"

#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/memory.h"
#include "tessera/kernel/values/list/list.h"

namespace tessera::kernel {

namespace {

/// The operand as an array in memory.
Item operand_of(Lowering& l, const Node& node, const Item& given) {
  const Item item = given.type->kind == TypeKind::list ? array_of_list(l, node, given) : l.in_memory(node, given);
  if (item.type.is_array()) return item;
  if (!item.type.is_scalar() || item.type->unit)
    l.refuse(node, format("nditer of {}", describe(given.type)), "arrays of numbers");
  const Item made = allocate(l, node, item.type->dtype, {}, false);
  store(l, node, view_of(l, made), item);
  return made;
}

std::vector<Item> operands_of(Lowering& l, const Node& call) {
  if (call.operands.size() != 2 || !call.names.empty())
    l.refuse(call, "nditer with options", "np.nditer(a) or np.nditer((a, b))");
  const Item given = l.lower(call.operands[1]);
  std::vector<Item> operands;
  if (given.type->kind != TypeKind::tuple) return {operand_of(l, call, given)};
  for (size_t k = 0; k < given.type->elements.size(); ++k) operands.push_back(operand_of(l, call, element(given, k)));
  if (operands.empty()) l.fail(call, "nditer of no arrays", "np.nditer((a, b))");
  return operands;
}

/// Numbers in a new array.
Item words_of(Lowering& l, const Node& node, const std::vector<ir::Value>& values) {
  const Item made = allocate(l, node, DType::int64, {l.number(static_cast<int64_t>(values.size()))}, false);
  for (size_t k = 0; k < values.size(); ++k)
    store(l, node, element_at(l, view_of(l, made), std::vector{l.number(static_cast<int64_t>(k))}),
          l.scalar(values[k]));
  return made;
}

/// Where the elements are in each operand, and of each axis by how much an element's number is divided, and whether
/// the axis is gone through from its end.
struct Plan {
  std::vector<ArrayView> views;
  std::vector<ir::Value> extents, divisors, backwards;
};

Plan plan_of(Lowering& l, const Node& node, const std::vector<Item>& operands) {
  ir::Builder& b = l.b;
  Plan plan;
  plan.extents = broadcast(l, node, operands);
  const size_t axes = plan.extents.size();
  std::vector<ir::Value> strides;
  for (const Item& operand : operands) {
    plan.views.push_back(view_of(l, operand));
    const ArrayView& view = plan.views.back();
    if (view.bases.size() > 1) l.refuse(node, "nditer of one array or another", "a copy of it");
    const std::vector<ir::Value> own = strides_of(l, view);
    for (size_t axis = 0; axis < axes; ++axis) {
      const bool is_there = axis + own.size() >= axes;
      const size_t k = axis + own.size() - axes;
      const ir::Value one = l.number(1), zero = l.number(0);
      strides.push_back(is_there ? b.select(b.eq(view.axes[k].extent, one), zero, own[k]) : zero);
    }
  }
  if (axes == 0) return plan;
  const Item made =
      call_library(l, node, "iterator.nditer", {words_of(l, node, strides), words_of(l, node, plan.extents)});
  const auto word = [&](size_t k) {
    return element_of(l, made, std::vector{l.number(static_cast<int64_t>(k))}).values[0];
  };
  for (size_t axis = 0; axis < axes; ++axis) {
    plan.divisors.push_back(word(axis));
    plan.backwards.push_back(word(axes + axis));
  }
  return plan;
}

Item element_of_plan(Lowering& l, const Plan& plan, ir::Value number) {
  ir::Builder& b = l.b;
  std::vector<ir::Value> at;
  for (size_t axis = 0; axis < plan.extents.size(); ++axis) {
    const ir::Value extent = plan.extents[axis], one = l.number(1);
    const ir::Value place =
        b.binary(ir::Opcode::floor_mod, b.binary(ir::Opcode::div, number, plan.divisors[axis]), b.max(extent, one));
    const ir::Value from_end = b.sub(b.sub(extent, one), place);
    at.push_back(b.select(b.ne(plan.backwards[axis], l.number(0)), from_end, place));
  }
  std::vector<Item> items;
  for (const ArrayView& view : plan.views) {
    std::vector<ir::Value> own(at.end() - static_cast<int64_t>(view.axes.size()), at.end());
    for (size_t k = 0; k < own.size(); ++k)
      own[k] = b.select(b.eq(view.axes[k].extent, l.number(1)), l.number(0), own[k]);
    items.push_back(element_at(l, view, own).item());
  }
  return items.size() == 1 ? items[0] : tuple_of(items);
}

}  // namespace

Sequence elements_of_nditer(Lowering& l, const Node& call) {
  if (!l.options.is_function) l.refuse(call, "nditer in a kernel", "indices");
  const Plan plan = plan_of(l, call, operands_of(l, call));
  ir::Value count = l.number(1);
  for (const ir::Value extent : plan.extents) count = l.b.mul(count, extent);
  return {.range = {l.number(0), count, l.number(1)},
          .element = [&l, plan](ir::Value number) { return element_of_plan(l, plan, number); }};
}

}  // namespace tessera::kernel
