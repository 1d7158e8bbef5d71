// Indices: elements and views of arrays. Views are worked out while lowering; only their elements are accessed.
#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lowering.h"

namespace tessera::kernel {

namespace {

std::string all_axes(int axes) {
  std::string text = "a[i";
  for (int k = 1; k < axes; ++k) text += format(", {}", "ijklmnop"[k % 8]);
  return text + "]";
}

bool is_ellipsis(const Item& item) {
  return item.type.kind == TypeKind::entity && item.type.entity.kind == EntityKind::ellipsis;
}

/// The indices that stand in the brackets.
std::vector<Item> listed(const Item& index) {
  if (index.type.kind != TypeKind::tuple) return {index};
  std::vector<Item> items;
  for (size_t k = 0; k < index.type.elements.size(); ++k) items.push_back(element(index, k));
  return items;
}

}  // namespace

ArrayView Lowering::view_of(const Item& array) {
  ArrayView view{.array = array.type};
  const auto zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  if (!array.type.is_view) {
    const Item shape = shape_of(array);
    view.begins.assign(static_cast<size_t>(array.type.axes), zero);
    for (int axis = 0; axis < array.type.axes; ++axis) view.axes.push_back({axis, one, shape.values[axis]});
    return view;
  }
  view.array.is_view = false;
  view.array.axes = array.type.base_axes;
  view.array.kept.clear();
  const auto begins = array.values.begin(), steps = begins + array.type.base_axes, extents = steps + array.type.axes;
  view.begins.assign(begins, steps);
  for (int axis = 0; axis < array.type.axes; ++axis)
    view.axes.push_back({array.type.kept[axis], steps[axis], extents[axis]});
  return view;
}

Item Lowering::item_of(const ArrayView& view) {
  Item whole{view.array, {}};
  const ArrayView all = view_of(whole);
  bool same = view.axes.size() == all.axes.size() && view.begins == all.begins;
  for (size_t k = 0; same && k < view.axes.size(); ++k) {
    same = view.axes[k].of == all.axes[k].of && view.axes[k].step == all.axes[k].step &&
           view.axes[k].extent == all.axes[k].extent;
  }
  return same ? whole : view.item();
}

Item Lowering::shape_of(const Item& array) {
  if (array.type.kind == TypeKind::record) {
    Item shape = shape_of(element(array, 0));
    shape.type.elements.resize(static_cast<size_t>(array.type.axes));
    shape.values.resize(static_cast<size_t>(array.type.axes));
    return shape;
  }
  std::vector<Item> extents;
  for (int axis = 0; axis < array.type.axes; ++axis) {
    if (array.type.is_view) {
      extents.push_back(scalar(array.values[array.type.base_axes + array.type.axes + axis]));
    } else if (array.type.kind == TypeKind::buffer && !array.type.is_constant) {
      extents.push_back(scalar(b.dimension(array.type.id, axis)));
    } else if (array.type.is_dynamic()) {
      extents.push_back(dynamic_size(array.type.dtype));
    } else {
      extents.push_back(constant(array.type.extents[axis]));
    }
  }
  return tuple_of(extents);
}

Item Lowering::dynamic_size(DType element) {
  if (!reads_shared_bytes()) shared_bytes_ = b.add_scalar(DType::int64);
  return scalar(b.div(b.scalar(shared_bytes_), constant(itemsize(element)).values[0]));
}

/// An integer index, from the end where it is negative. Unsigned ones, and those that are never negative, are as they
/// are.
ir::Value Lowering::within(const Item& index, ir::Value extent) {
  const ir::Value value = cast(index, DType::int64);
  if (is_unsigned_integer(index.type.dtype) || facts_.is_non_negative(value)) return value;
  const ir::Value from_end = b.add(value, extent);
  if (constant_of(scalar(value))) return from_end;
  return b.select(b.lt(value, b.zero_like(value)), from_end, value);
}

// As many indices as there are axes: an ellipsis, or the end, stands for the whole of those that are left out.
std::vector<Item> Lowering::full_index(const Node& node, int axes, const Item& index) {
  const std::vector<Item> given = listed(index);
  int named = 0, ellipses = 0;
  for (const Item& item : given) {
    ellipses += is_ellipsis(item);
    named += !is_ellipsis(item) && item.type.kind != TypeKind::none;
  }
  if (ellipses > 1) fail(node, "an index with two ellipses");
  if (named > axes) {
    fail(node, format("an array of {} axes with {} {}", axes, named, named == 1 ? "index" : "indices"),
         axes > 0 ? all_axes(axes) : "a[()]");
  }
  const Item whole{{.kind = TypeKind::slice, .elements = {{}, {}, {}}}, {}};
  std::vector<Item> full;
  for (const Item& item : given) {
    if (is_ellipsis(item)) {
      full.insert(full.end(), static_cast<size_t>(axes - named), whole);
    } else {
      full.push_back(item);
    }
  }
  if (!ellipses) full.insert(full.end(), static_cast<size_t>(axes - named), whole);
  return full;
}

ArrayView Lowering::sub_view(const Node& node, const Item& array, const Item& index) {
  const ArrayView from = view_of(array);
  ArrayView view{.array = from.array, .begins = from.begins};
  size_t next = 0;
  for (const Item& item : full_index(node, array.type.axes, index)) {
    if (item.type.kind == TypeKind::none) {
      const ir::Value one = b.constant(DType::int64, 1);
      view.axes.push_back({-1, one, one});
      continue;
    }
    const ArrayView::Axis& axis = from.axes[next++];
    const bool slice = item.type.kind == TypeKind::slice;
    if (!slice && (!item.type.is_scalar() || !is_integer(item.type.dtype)))
      fail(node, format("an index is {}", describe(item.type)), "an integer, such as int(x)");
    ir::Value begin = ir::no_value;
    if (slice) {
      view.axes.push_back(sliced(node, item, axis, begin));
    } else {
      begin = within(item, axis.extent);
    }
    if (begin == ir::no_value || axis.of < 0) continue;
    view.begins[axis.of] = b.add(view.begins[axis.of], b.mul(axis.step, begin));
  }
  return view;
}

std::vector<ir::Value> Lowering::address(const ArrayView& element) {
  if (element.array.kind == TypeKind::buffer) return element.begins;
  if (element.begins.empty()) return {b.constant(DType::int64, 0)};
  ir::Value linear = element.begins[0];
  for (size_t axis = 1; axis < element.begins.size(); ++axis)
    linear = b.add(b.mul(linear, b.constant(Scalar::of_int(DType::int64, element.array.extents[axis]))),
                   element.begins[axis]);
  return {linear};
}

Item Lowering::tuple_element(const Node& node, const Item& tuple, const Item& index) {
  const Scalar* which = constant_of(index);
  const int64_t count = static_cast<int64_t>(tuple.type.elements.size());
  if (which && !is_floating(which->dtype)) {
    const int64_t k = which->as_int() < 0 ? which->as_int() + count : which->as_int();
    if (k < 0 || k >= count) fail(node, format("index {} of a tuple of {}", which->as_int(), count));
    return element(tuple, static_cast<size_t>(k));
  }
  bool alike = count > 0 && index.type.is_scalar() && is_integer(index.type.dtype);
  for (const Type& type : tuple.type.elements) alike &= type.is_scalar() && type == tuple.type.elements[0];
  if (!alike) fail(node, "the index of a tuple is not a constant integer", "a[0], or a local array");
  const ir::Value k = within(index, b.constant(Scalar::of_int(DType::int64, count)));
  ir::Value chosen = tuple.values[0];
  for (int64_t at = 1; at < count; ++at)
    chosen = b.select(b.eq(k, b.constant(Scalar::of_int(DType::int64, at))), tuple.values[at], chosen);
  return scalar(chosen);
}

Item Lowering::subscript(const Node& node, const Item& object, const Item& index) {
  const bool text = index.type.kind == TypeKind::entity && index.type.entity.kind == EntityKind::text;
  if (object.type.kind == TypeKind::record && text) return field(node, object, index.type.entity.name);
  if (object.type.kind == TypeKind::record && object.type.axes > 0) {
    Item part{object.type, {}};
    for (size_t k = 0; k < object.type.elements.size(); ++k) {
      Item array = element(object, k);
      const int axes = array.type.axes - object.type.axes;  // of the field itself
      const Item of =
          array.type.kind == TypeKind::record ? subscript(node, array, index) : sub_view(node, array, index).item();
      part.type.elements[k] = of.type;
      part.type.axes = of.type.axes - axes;
      part.values.insert(part.values.end(), of.values.begin(), of.values.end());
    }
    return part;
  }
  if (object.type.is_array()) {
    const ArrayView view = sub_view(node, object, index);
    return view.axes.empty() ? load(view) : item_of(view);
  }
  if (object.type.kind != TypeKind::tuple) fail(node, format("{} has no elements", describe(object.type)));
  if (index.type.kind == TypeKind::slice) return tuple_slice(node, object, index);
  return tuple_element(node, object, index);
}

}  // namespace tessera::kernel
