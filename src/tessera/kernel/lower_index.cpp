// Elements of array arguments and of shared and local arrays.
#include "tessera/kernel/lowering.h"

namespace tessera::kernel {

namespace {

std::string all_axes(int axes) {
  std::string text = "a[i";
  for (int k = 1; k < axes; ++k) text += format(", {}", "ijklmnop"[k % 8]);
  return text + "]";
}

}  // namespace

Item Lowering::shape_of(const Item& array) {
  std::vector<Item> extents;
  for (int axis = 0; axis < array.type.axes; ++axis) {
    const bool buffer = array.type.kind == TypeKind::buffer;
    extents.push_back(buffer ? scalar(b.dimension(array.type.id, axis)) : constant(array.type.extents[axis]));
  }
  return tuple_of(extents);
}

std::vector<ir::Value> Lowering::indices(const Node& node, const Item& array, const Item& index) {
  std::vector<Item> items{index};
  if (index.type.kind == TypeKind::tuple) {
    items.clear();
    for (size_t k = 0; k < index.type.elements.size(); ++k) items.push_back(element(index, k));
  }
  const int axes = array.type.axes;
  if (static_cast<int>(items.size()) != axes) {
    fail(node, format("an array of {} axes with {} {}", axes, items.size(), items.size() == 1 ? "index" : "indices"),
         axes > 0 ? all_axes(axes) : "a[()]");
  }
  std::vector<ir::Value> at;
  for (int axis = 0; axis < axes; ++axis) {
    const Item& item = items[axis];
    if (!item.type.is_scalar() || !is_integer(item.type.dtype))
      fail(node, format("an index is {}", describe(item.type)), "an integer, such as int(x)");
    const Scalar* known = constant_of(item);
    ir::Value value = cast(item, DType::int64);
    // A constant negative index counts from the end.
    if (known && is_signed_integer(known->dtype) && known->as_int() < 0)
      value = b.add(shape_of(array).values[axis], value);
    at.push_back(value);
  }
  if (array.type.kind == TypeKind::buffer) return at;
  ir::Value linear = at[0];
  for (int axis = 1; axis < axes; ++axis)
    linear = b.add(b.mul(linear, b.constant(Scalar::of_int(DType::int64, array.type.extents[axis]))), at[axis]);
  return {linear};
}

Item Lowering::load_element(const Node& node, const Item& array, const Item& index) {
  if (!array.type.is_array()) fail(node, format("{} has no elements", describe(array.type)));
  const std::vector<ir::Value> at = indices(node, array, index);
  if (array.type.kind == TypeKind::array) return scalar(b.load_array(array.type.id, at[0]));
  return scalar(b.load(array.type.id, at));
}

void Lowering::store_element(const Node& node, const Item& array, const Item& index, const Item& value) {
  if (!array.type.is_array()) fail(node, format("elements of {} cannot be assigned", describe(array.type)));
  if (!value.type.is_scalar())
    fail(node, format("{} for an element of {}", describe(value.type), describe(array.type)));
  if (is_complex(value.type.dtype) && !is_complex(array.type.dtype))
    fail(node, format("{} for an element of {}", value.type.dtype, describe(array.type)), "its .real");
  const std::vector<ir::Value> at = indices(node, array, index);
  const ir::Value element = cast(value, array.type.dtype);
  if (array.type.kind == TypeKind::array) {
    b.store_array(array.type.id, element, at[0]);
  } else {
    b.store(array.type.id, element, at);
  }
}

}  // namespace tessera::kernel
