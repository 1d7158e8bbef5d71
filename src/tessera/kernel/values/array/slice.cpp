// Slices, as Python's slice.indices has them.
#include "tessera/kernel/values/array/slice.h"

#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/index.h"

namespace tessera::kernel {

Item lower_slice(Lowering& l, const Node& node) {
  std::vector<Item> parts;
  for (const Node& operand : node.operands) {
    parts.push_back(l.lower(operand));
    const Type& type = parts.back().type;
    if (type->kind != TypeKind::none && (!type.is_scalar() || !is_integer(type->dtype)))
      l.fail(operand, format("a bound of a slice is {}", describe(type)), "an integer, such as int(x)");
  }
  return joined_of({.kind = TypeKind::slice}, parts);
}

ir::Value count_steps(Lowering& l, ir::Value lower, ir::Value upper, ir::Value step) {
  ir::Builder& b = l.b;
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const ir::Value length = b.sub(upper, lower);
  const Scalar* known = l.constant_of(l.scalar(step));
  if (known && known->as_int() == 1) return l.facts.is_non_negative(length) ? length : b.max(length, zero);
  const ir::Value sign = b.select(b.lt(step, zero), b.neg(one), one);
  const ir::Value count = b.binary(ir::Opcode::floor_div, b.add(length, b.sub(step, sign)), step);
  return b.max(count, zero);
}

ArrayView::Axis sliced(Lowering& l, const Node& node, const Item& slice, ArrayView::Axis axis, ir::Value& begin) {
  ir::Builder& b = l.b;
  const Item lower = element(slice, 0), upper = element(slice, 1), given_step = element(slice, 2);
  const auto is_left_out = [](const Item& item) { return item.type->kind == TypeKind::none; };
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const ir::Value step = is_left_out(given_step) ? one : l.cast(given_step, DType::int64);
  const Scalar* known = l.constant_of(l.scalar(step));
  if (known && known->as_int() == 0) l.fail(node, "the step of a slice is 0");
  if (!known && l.options.is_function)
    l.failures.raise_if(node, b.eq(step, zero), ExceptionNumber::value_error, "slice step cannot be zero");
  const ir::Value down = b.lt(step, zero);
  // Upwards bounds lie in 0 to extent, downwards one below.
  const ir::Value least = b.select(down, b.neg(one), zero);
  const ir::Value most = b.select(down, b.sub(axis.extent, one), axis.extent);
  const auto bound = [&](const Item& item, ir::Value left_out) {
    if (is_left_out(item)) return left_out;
    return b.max(b.min(within(l, item, axis.extent), most), least);
  };
  const ir::Value from = bound(lower, b.select(down, most, zero));
  const ir::Value until = bound(upper, b.select(down, least, axis.extent));
  const bool whole = is_left_out(lower) && is_left_out(upper) && step == one;
  begin = whole ? ir::no_value : from;
  return {b.mul(axis.step, step), whole ? axis.extent : count_steps(l, from, until, step)};
}

Item tuple_slice(Lowering& l, const Node& node, const Item& tuple, const Item& slice) {
  const auto count = static_cast<int64_t>(tuple.type->elements.size());
  const auto part = [&](size_t k, std::optional<int64_t> left_out) -> std::optional<int64_t> {
    const Item item = element(slice, k);
    if (item.type->kind == TypeKind::none) return left_out;
    const Scalar* known = l.constant_of(item);
    if (!known) l.fail(node, "the slice of a tuple is not constant");
    return known->as_int();
  };
  const int64_t step = *part(2, 1);
  if (step == 0) l.fail(node, "the step of a slice is 0");
  const int64_t least = step < 0 ? -1 : 0, most = step < 0 ? count - 1 : count;
  const auto bound = [&](size_t k, int64_t left_out) {
    const std::optional<int64_t> given = part(k, std::nullopt);
    return given ? std::clamp(*given < 0 ? *given + count : *given, least, most) : left_out;
  };
  std::vector<Item> items;
  const int64_t until = bound(1, step < 0 ? -1 : count);
  for (int64_t k = bound(0, step < 0 ? most : 0); step < 0 ? k > until : k < until; k += step)
    items.push_back(element(tuple, static_cast<size_t>(k)));
  return tuple_of(items);
}

}  // namespace tessera::kernel
