// Elements: loads, stores, loops over all elements of a view, and the fields of records.
#include <algorithm>

#include "tessera/kernel/lowering.h"

namespace tessera::kernel {

Item Lowering::load(const ArrayView& element) {
  const std::vector<ir::Value> at = address(element);
  if (element.array.kind == TypeKind::array) return scalar(b.load_array(element.array.id, at[0]));
  if (const std::optional<Scalar> known = known_element(element)) return scalar(b.constant(*known));
  return scalar(b.load(element.array.id, at));
}

void Lowering::store(const Node& node, const ArrayView& view, const Item& value) {
  const Type array = view.axes.empty() ? view.array : view.item().type;
  if (view.array.is_constant)
    fail(node, "an array outside the kernel is assigned; its elements are constants", "pass it as an argument");
  if (!view.axes.empty()) {
    if (!value.type.is_array() && !value.type.is_scalar())
      fail(node, format("{} for elements of {}", describe(value.type), describe(array)));
    if (value.type.is_array() && value.type.axes > array.axes)
      fail(node, format("{} for elements of {}", describe(value.type), describe(array)));
    return each_element(
        view, [&](std::span<const ir::Value> at) { store(node, element_at(view, at), repeated_element(value, at)); });
  }
  if (!value.type.is_scalar()) fail(node, format("{} for an element of {}", describe(value.type), describe(array)));
  if (is_complex(value.type.dtype) && !is_complex(array.dtype))
    fail(node, format("{} for an element of {}", value.type.dtype, describe(array)), "its .real");
  const std::vector<ir::Value> at = address(view);
  const ir::Value element = cast(value, array.dtype);
  if (array.kind == TypeKind::array) {
    b.store_array(array.id, element, at[0]);
  } else {
    b.store(array.id, element, at);
  }
}

void Lowering::store(const Node& node, const Item& object, const Item& index, const Item& value) {
  if (object.type.kind == TypeKind::record) {
    const bool text = index.type.kind == TypeKind::entity && index.type.entity.kind == EntityKind::text;
    return store_record(node, text ? field_place(node, object, index.type.entity.name) : subscript(node, object, index),
                        value);
  }
  if (!object.type.is_array()) fail(node, format("elements of {} cannot be assigned", describe(object.type)));
  store(node, sub_view(node, object, index), value);
}

ArrayView Lowering::element_at(const ArrayView& view, std::span<const ir::Value> at) {
  ArrayView element{.array = view.array, .begins = view.begins};
  for (size_t k = 0; k < view.axes.size(); ++k) {
    const ArrayView::Axis& axis = view.axes[k];
    if (axis.of >= 0) element.begins[axis.of] = b.add(element.begins[axis.of], b.mul(axis.step, at[k]));
  }
  return element;
}

Item Lowering::repeated_element(const Item& value, std::span<const ir::Value> at) {
  if (!value.type.is_array()) return value;
  ArrayView view = view_of(value);
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  for (ArrayView::Axis& axis : view.axes) axis.step = b.select(b.eq(axis.extent, one), zero, axis.step);
  return load(element_at(view, at.last(view.axes.size())));
}

void Lowering::each_element(const ArrayView& view, const std::function<void(std::span<const ir::Value>)>& body) {
  std::vector<ir::Value> at;
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const std::function<void()> along = [&] {
    if (at.size() == view.axes.size()) return body(at);
    b.for_(zero, view.axes[at.size()].extent, one, {}, [&](std::span<const ir::Value> args) {
      at.push_back(args[0]);
      along();
      at.pop_back();
      return std::vector<ir::Value>{};
    });
  };
  along();
}

Item Lowering::reduce(const Item& array, const Item& first, const std::function<Item(const Item&, const Item&)>& join) {
  const ArrayView view = view_of(array);
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  std::vector<ir::Value> at;
  const std::function<std::vector<ir::Value>(std::vector<ir::Value>)> along = [&](std::vector<ir::Value> sofar) {
    if (at.size() == view.axes.size())
      return convert(join({first.type, sofar}, load(element_at(view, at))), first.type).values;
    return b.for_(zero, view.axes[at.size()].extent, one, sofar, [&](std::span<const ir::Value> args) {
      at.push_back(args[0]);
      std::vector<ir::Value> next = along({args.begin() + 1, args.end()});
      at.pop_back();
      return next;
    });
  };
  return {first.type, along(first.values)};
}

}  // namespace tessera::kernel
