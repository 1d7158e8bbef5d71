// Stencils: a function of an element's neighbourhood, for all elements of an array.
#include "tessera/kernel/values/array/stencil.h"

#include <algorithm>

#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/calls/function.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/whole.h"

namespace tessera::kernel {

namespace {

/// The shape of the first array that the stencil looks into; others must be as large at least.
std::vector<ir::Value> stencil_shape(Lowering& l, const Node& node, const Entity& stencil,
                                     const std::vector<Item>& args) {
  ir::Builder& b = l.b;
  const size_t axes = stencil.shape.size() / 2;
  std::vector<ir::Value> shape;
  ir::Value is_small = b.constant(Scalar::of_bool(false));
  for (size_t k = 0; k < args.size(); ++k) {
    if (std::ranges::find(stencil.names, stencil.function->tree.names[k]) == stencil.names.end()) continue;
    const Type& type = args[k].type;
    if (!type.is_array() || type->axes != static_cast<int>(axes))
      l.fail(node, format("the stencil {} looks into {}, of {} axes", stencil.function->name(), describe(type), axes));
    const std::vector<ir::Value> own = shape_of(l, args[k]).values;
    if (shape.empty()) shape = own;
    for (size_t axis = 0; axis < axes; ++axis)
      if (own[axis] != shape[axis]) is_small = b.bit_or(is_small, b.lt(own[axis], shape[axis]));
  }
  if (shape.empty()) l.fail(node, format("the stencil {} looks into no array", stencil.function->name()));
  l.failures.raise_if(node, is_small, ExceptionNumber::value_error,
                      "a stencil's later arrays must be as large as its first");
  return shape;
}

}  // namespace

// The places whose neighbourhood is inside; then those at the borders, by the function that says what lies outside, if
// there is one.
namespace {

/// `out` has the shape of the result.
void check_out(Lowering& l, const Node& node, const Item& out, std::span<const ir::Value> shape) {
  ir::Builder& b = l.b;
  if (!out.type.is_array() || out.type->axes != static_cast<int>(shape.size()))
    l.fail(node, format("out is {} for a stencil of {} axes", describe(out.type), shape.size()));
  const std::vector<ir::Value> own = shape_of(l, out).values;
  ir::Value differs = b.constant(Scalar::of_bool(false));
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (own[axis] != shape[axis]) differs = b.bit_or(differs, b.ne(own[axis], shape[axis]));
  l.failures.raise_if(node, differs, ExceptionNumber::value_error,
                      "could not broadcast the stencil's result to the shape of out");
}

/// Runs body for the places that are not between `from` and `to` along each axis.
void each_place_at_borders(Lowering& l, const std::vector<ir::Value>& shape, std::span<const ir::Value> from,
                           std::span<const ir::Value> to, const PlaceBody& body) {
  ir::Builder& b = l.b;
  const ir::Value zero = b.constant(DType::int64, 0);
  std::vector<ir::Value> box_from(shape.size(), zero), box_to = shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    // Where the array is narrower than the neighbourhood, all places are at the borders.
    const ir::Value low = b.min(from[axis], shape[axis]), high = b.max(to[axis], low);
    box_from[axis] = zero;
    box_to[axis] = low;
    each_place(l, box_from, box_to, body);
    box_from[axis] = high;
    box_to[axis] = shape[axis];
    each_place(l, box_from, box_to, body);
    box_from[axis] = low;
    box_to[axis] = high;
  }
}

}  // namespace

Item lower_stencil(Lowering& l, const Node& node, const Entity& stencil) {
  ir::Builder& b = l.b;
  const Function& point = *stencil.function;
  const size_t axes = stencil.shape.size() / 2, parameters = point.tree.names.size() - axes;
  std::vector<std::string> names(point.tree.names.begin(), point.tree.names.begin() + static_cast<int64_t>(parameters));
  names.push_back("out");
  Call call = arrange(l, node, point.name(), names, parameters, lower_positional(l, node));
  for (Item& item : call.args) item = l.in_memory(node, item);
  const Item given = call.args.back();
  call.args.pop_back();
  std::vector<ir::Value> shape = stencil_shape(l, node, stencil, call.args);
  const typed::VariableKey key{l.known.path(l.frame->turn, node.place), typed::value_slot};
  const typed::Variable* const known = l.known->variables.find(key);
  const DType dtype = known ? known->type->dtype : DType::float64;
  // At the borders: what a function or a number says, else what is there, zero in a new array.
  const Entity* outside = stencil.elements.empty() ? nullptr : stencil.elements.data();
  const bool has_border = outside && outside->kind == EntityKind::function;
  const bool is_new = given.type->kind == TypeKind::none;
  if (!is_new) check_out(l, node, given, shape);
  // Neighbours are read as they were.
  const bool is_apart = is_new || std::ranges::none_of(call.args, [&](const Item& item) {
                          return item.type.is_array() && may_clash(l, view_of(l, item), view_of(l, given), false);
                        });
  const Item out = is_new     ? allocate(l, node, dtype, shape, !outside)
                   : is_apart ? given
                   : outside  ? allocate(l, node, given.type->dtype, shape, false)
                              : copy_of(l, node, given);
  const ArrayView view = view_of(l, out);
  if (outside && !has_border) store(l, node, view, l.scalar(b.constant(outside->value)));
  const auto compute = [&](const Function& function) {
    return [&](std::span<const ir::Value> at) {
      std::vector<Item> args = call.args;
      for (ir::Value index : at) args.push_back(l.scalar(index));
      const Item value = call_function(l, node, function, args);
      if (!value.type.is_scalar())
        l.fail(node, format("the stencil {} returns {}, not a number", function.name(), describe(value.type)));
      if (is_new && widen(l, node, key, point.name(), value.type)->dtype != dtype) {
        // The next pass makes the array with the dtype that has been found, and no variable has seen another.
        l.known.change();
        l.known.want();
      }
      store(l, node, element_at(l, view, at), value);
    };
  };
  std::vector<ir::Value> from, to;
  for (size_t axis = 0; axis < axes; ++axis) {
    const ir::Value low = l.constant(stencil.shape[2 * axis]).values[0];
    from.push_back(low);
    to.push_back(b.sub(shape[axis], l.constant(stencil.shape[2 * axis + 1]).values[0]));
  }
  each_place(l, from, to, compute(point));
  const auto result = [&] {
    if (!is_apart) store(l, node, view_of(l, given), out);
    return is_apart ? out : given;
  };
  if (!has_border) return result();
  each_place_at_borders(l, shape, from, to, compute(*outside->function));
  return result();
}

}  // namespace tessera::kernel
