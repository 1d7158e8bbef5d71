// Stencils: a function of an element's neighbourhood, for all elements of an array.
#include <algorithm>

#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

/// The shape of the first array that the stencil looks into; others must be as large at least.
std::vector<ir::Value> Lowering::stencil_shape(const Node& node, const Entity& stencil, const std::vector<Item>& args) {
  const size_t axes = stencil.shape.size() / 2;
  std::vector<ir::Value> shape;
  ir::Value is_small = b.constant(Scalar::of_bool(false));
  for (size_t k = 0; k < args.size(); ++k) {
    if (std::ranges::find(stencil.names, stencil.function->tree.names[k]) == stencil.names.end()) continue;
    const Type& type = args[k].type;
    if (!type.is_array() || type.axes != static_cast<int>(axes))
      fail(node, format("the stencil {} looks into {}, of {} axes", stencil.function->name(), describe(type), axes));
    const std::vector<ir::Value> own = shape_of(args[k]).values;
    if (shape.empty()) shape = own;
    for (size_t axis = 0; axis < axes; ++axis)
      if (own[axis] != shape[axis]) is_small = b.bit_or(is_small, b.lt(own[axis], shape[axis]));
  }
  if (shape.empty()) fail(node, format("the stencil {} looks into no array", stencil.function->name()));
  raise_if(node, is_small, ExceptionNumber::value_error, "a stencil's later arrays must be as large as its first");
  return shape;
}

// The places whose neighbourhood is inside; then those at the borders, by the function that says what lies outside, if
// there is one.
Item Lowering::lower_stencil(const Node& node, const Entity& stencil) {
  const Function& point = *stencil.function;
  const size_t axes = stencil.shape.size() / 2, parameters = point.tree.names.size() - axes;
  std::vector<std::string> names(point.tree.names.begin(), point.tree.names.begin() + static_cast<int64_t>(parameters));
  names.push_back("out");
  Call call = arrange(node, point.name(), names, parameters, lower_positional(node));
  for (Item& item : call.args) item = in_memory(node, item);
  const Item given = call.args.back();
  call.args.pop_back();
  std::vector<ir::Value> shape = stencil_shape(node, stencil, call.args);
  const std::string key = format("{}:{}:{}.stencil", frame_->path, node.place.line, node.place.column);
  const auto known = known_.types.find(key);
  const DType dtype = known == known_.types.end() ? DType::float64 : known->second.dtype;
  // At the borders: what a function or a number says, else what is there, zero in a new array.
  const Entity* outside = stencil.elements.empty() ? nullptr : stencil.elements.data();
  const bool has_border = outside && outside->kind == EntityKind::function;
  if (given.type.kind != TypeKind::none && (!given.type.is_array() || given.type.axes != static_cast<int>(axes)))
    fail(node, format("out is {} for a stencil of {} axes", describe(given.type), axes));
  const bool is_new = given.type.kind == TypeKind::none;
  if (!is_new) {
    const std::vector<ir::Value> own = shape_of(given).values;
    ir::Value differs = b.constant(Scalar::of_bool(false));
    for (size_t axis = 0; axis < axes; ++axis)
      if (own[axis] != shape[axis]) differs = b.bit_or(differs, b.ne(own[axis], shape[axis]));
    raise_if(node, differs, ExceptionNumber::value_error,
             "could not broadcast the stencil's result to the shape of out");
  }
  // Neighbours are read as they were.
  const bool is_apart = is_new || std::ranges::none_of(call.args, [&](const Item& item) {
                          return item.type.is_array() && may_clash(view_of(item), view_of(given), false);
                        });
  const Item out = is_new     ? allocate(node, dtype, shape, !outside)
                   : is_apart ? given
                   : outside  ? allocate(node, given.type.dtype, shape, false)
                              : copy_of(node, given);
  const ArrayView view = view_of(out);
  if (outside && !has_border) store(node, view, scalar(b.constant(outside->value)));
  const auto compute = [&](const Function& function) {
    return [&, this](std::span<const ir::Value> at) {
      std::vector<Item> args = call.args;
      for (ir::Value index : at) args.push_back(scalar(index));
      const Item value = call_function(node, function, args);
      if (!value.type.is_scalar())
        fail(node, format("the stencil {} returns {}, not a number", function.name(), describe(value.type)));
      if (is_new && widen(node, key, value.type).dtype != dtype) {
        // The next run makes the array with the dtype that has been found, and no variable has seen another.
        changed_ = true;
        throw CompileError(Fault::typing, "the dtype of a stencil has been found");
      }
      store(node, element_at(view, at), value);
    };
  };
  const ir::Value zero = b.constant(DType::int64, 0);
  std::vector<ir::Value> from, to;
  for (size_t axis = 0; axis < axes; ++axis) {
    const ir::Value low = constant(stencil.shape[2 * axis]).values[0];
    from.push_back(low);
    to.push_back(b.sub(shape[axis], constant(stencil.shape[2 * axis + 1]).values[0]));
  }
  each_place(from, to, compute(point));
  const auto result = [&] {
    if (!is_apart) store(node, view_of(given), out);
    return is_apart ? out : given;
  };
  if (!has_border) return result();
  const Function& border = *outside->function;
  std::vector<ir::Value> box_from(axes, zero), box_to = shape;
  for (size_t axis = 0; axis < axes; ++axis) {
    // Where the array is narrower than the neighbourhood, all places are at the borders.
    const ir::Value low = b.min(from[axis], shape[axis]), high = b.max(to[axis], low);
    box_from[axis] = zero;
    box_to[axis] = low;
    each_place(box_from, box_to, compute(border));
    box_from[axis] = high;
    box_to[axis] = shape[axis];
    each_place(box_from, box_to, compute(border));
    box_from[axis] = low;
    box_to[axis] = high;
  }
  return result();
}

}  // namespace tessera::kernel
