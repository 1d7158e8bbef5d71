// Indices: elements and views of arrays. Views are worked out while lowering; only their elements are accessed.
#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/lowering.h"

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
  ArrayView view;
  const auto zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  if (!array.type.is_view) {
    ArrayView::Base base{.array = array.type};
    base.begins.assign(static_cast<size_t>(array.type.axes), zero);
    const Item shape = shape_of(array);
    for (int axis = 0; axis < array.type.axes; ++axis) {
      base.kept.push_back(axis);
      view.axes.push_back({one, shape.values[static_cast<size_t>(axis)]});
    }
    view.bases.push_back(std::move(base));
    return view;
  }
  auto next = array.values.begin();
  if (array.type.kind == TypeKind::choice) view.which = *next++;
  for (const Type& one_view : alternatives(array.type)) {
    ArrayView::Base base{.array = one_view, .kept = one_view.kept};
    base.array.is_view = false;
    base.array.axes = one_view.base_axes;
    base.array.kept.clear();
    base.begins.assign(next, next + one_view.base_axes);
    next += one_view.base_axes;
    view.bases.push_back(std::move(base));
  }
  for (int axis = 0; axis < array.type.axes; ++axis) view.axes.push_back({next[axis], next[array.type.axes + axis]});
  return view;
}

Item Lowering::item_of(const ArrayView& view) {
  const ArrayView::Base& base = view.bases[0];
  if (view.bases.size() > 1 || base.array.is_heap) return view.item();
  const Item whole{base.array, {}};
  const ArrayView all = view_of(whole);
  bool same =
      view.axes.size() == all.axes.size() && base.begins == all.bases[0].begins && base.kept == all.bases[0].kept;
  for (size_t k = 0; same && k < view.axes.size(); ++k)
    same = view.axes[k].step == all.axes[k].step && view.axes[k].extent == all.axes[k].extent;
  return same ? whole : view.item();
}

/// The view as one of another type, whose arrays are those of this one and others.
Item Lowering::convert_view(const Item& array, const Type& type) {
  if (type.kind != TypeKind::choice) {
    const Item view = view_of(array).item();
    // What has been widened since the loop began is not passed on: the run is repeated.
    return view.type == type ? view : zero(type);
  }
  ArrayView from = view_of(array), to{.axes = from.axes};
  const auto number = [&](size_t k) { return b.constant(Scalar::of_int(DType::int64, static_cast<int64_t>(k))); };
  const std::vector<Type> known = alternatives(array.type);
  std::vector<ir::Value> places(from.bases.size(), ir::no_value);
  for (size_t k = 0; k < type.elements.size(); ++k) {
    const auto at = static_cast<size_t>(std::ranges::find(known, type.elements[k]) - known.begin());
    ArrayView::Base base{.array = type.elements[k], .kept = type.elements[k].kept};
    base.begins.assign(static_cast<size_t>(base.array.base_axes), number(0));
    if (at < known.size()) {
      base.begins = from.bases[at].begins;
      places[at] = number(k);
    }
    to.bases.push_back(std::move(base));
  }
  std::ranges::replace(places, ir::no_value, number(0));
  to.which = places[0];
  for (size_t k = 1; k < places.size(); ++k) to.which = b.select(b.eq(from.which, number(k)), places[k], to.which);
  Item item = to.item();
  item.type = type;
  return item;
}

std::vector<ir::Value> Lowering::for_base(const ArrayView& view, const BaseBody& body, size_t first) {
  if (first + 1 == view.bases.size()) return body(view.bases[first]);
  const ir::Value number = b.constant(Scalar::of_int(DType::int64, static_cast<int64_t>(first)));
  const auto side = [&](bool is_this) {
    return [&, is_this](std::span<const ir::Value>) {
      return is_this ? body(view.bases[first]) : for_base(view, body, first + 1);
    };
  };
  return b.if_(b.eq(view.which, number), side(true), side(false));
}

Item Lowering::shape_of(const Item& array) {
  if (array.type.kind == TypeKind::computed) {
    std::vector<Item> extents;
    for (ir::Value extent : array.computed->extents) extents.push_back(scalar(extent));
    return tuple_of(extents);
  }
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
  ArrayView view{.bases = from.bases, .which = from.which};
  for (ArrayView::Base& base : view.bases) base.kept.clear();
  size_t next = 0;
  for (const Item& item : full_index(node, array.type.axes, index)) {
    if (item.type.kind == TypeKind::none) {
      const ir::Value one = b.constant(DType::int64, 1);
      view.axes.push_back({one, one});
      for (ArrayView::Base& base : view.bases) base.kept.push_back(-1);
      continue;
    }
    const size_t from_axis = next++;
    const ArrayView::Axis& axis = from.axes[from_axis];
    const bool slice = item.type.kind == TypeKind::slice;
    if (!slice && (!item.type.is_scalar() || !is_integer(item.type.dtype)))
      fail(node, format("an index is {}", describe(item.type)), "an integer, such as int(x)");
    ir::Value begin = ir::no_value;
    if (slice) {
      view.axes.push_back(sliced(node, item, axis, begin));
    } else {
      begin = within(item, axis.extent);
      if (options_.checks_bounds) check_index(node, item, axis.extent, from_axis);
    }
    for (size_t k = 0; k < view.bases.size(); ++k) {
      const int of = from.bases[k].kept[from_axis];
      if (slice) view.bases[k].kept.push_back(of);
      if (begin != ir::no_value) move_begin(view.bases[k], of, axis.step, begin);
    }
  }
  return view;
}

/// Raises IndexError for an index that is outside.
void Lowering::check_index(const Node& node, const Item& index, ir::Value extent, size_t axis) {
  const ir::Value at = cast(index, DType::int64);
  const ir::Value outside = b.bit_or(b.ge(at, extent), b.lt(at, b.neg(extent)));
  const Item numbers[] = {scalar(at), constant(static_cast<int64_t>(axis)), scalar(extent)};
  const std::string array = options_.is_function ? "" : ", array " + array_name(node);
  raise_if(node, outside, ExceptionNumber::index_error, "index {} is out of bounds for axis {} with size {}" + array,
           numbers);
}

/// The view begins `by` steps further along an axis of the array.
void Lowering::move_begin(ArrayView::Base& base, int axis, ir::Value step, ir::Value by) {
  if (axis < 0) return;
  ir::Value& begin = base.begins[static_cast<size_t>(axis)];
  begin = b.add(begin, b.mul(step, by));
}

std::vector<ir::Value> Lowering::address(const ArrayView::Base& element) {
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
  if (count == 0 && options_.is_function && index.type.is_scalar()) {
    raise_if(node, b.constant(Scalar::of_bool(true)), ExceptionNumber::index_error, "tuple index out of range");
    return this->constant(0);
  }
  std::optional<Type> common;
  if (count > 0 && index.type.is_scalar() && is_integer(index.type.dtype)) common = tuple.type.elements[0];
  for (const Type& type : tuple.type.elements)
    if (common) common = unify(*common, type);
  if (!common) {
    fail(node, format("the index of {} is not constant, and its elements are of different types", describe(tuple.type)),
         "a constant index");
  }
  const ir::Value extent = b.constant(Scalar::of_int(DType::int64, count));
  if (options_.checks_bounds || options_.is_function) {
    const ir::Value at = cast(index, DType::int64);
    raise_if(node, b.bit_or(b.ge(at, extent), b.lt(at, b.neg(extent))), ExceptionNumber::index_error,
             "tuple index out of range");
  }
  const ir::Value k = within(index, extent);
  Item chosen = convert(element(tuple, 0), *common);
  for (int64_t at = 1; at < count; ++at) {
    const Item other = convert(element(tuple, static_cast<size_t>(at)), *common);
    const ir::Value is_this = b.eq(k, b.constant(Scalar::of_int(DType::int64, at)));
    for (size_t v = 0; v < chosen.values.size(); ++v)
      chosen.values[v] = b.select(is_this, other.values[v], chosen.values[v]);
  }
  return chosen;
}

/// Whether an index is an array of them, or has one.
bool is_array_index(const Item& index) {
  const auto is_many = [](const Type& type) { return type.is_array_like() || type.is_list; };
  if (index.type.kind == TypeKind::tuple)
    return index.type.is_list || std::ranges::any_of(index.type.elements, is_many);
  return index.type.is_array_like();
}

/// The elements at an array of indices, or where an array of booleans is true, in a new array.
Item Lowering::gather(const Node& node, const Item& array, const Item& index) {
  const bool is_plain = index.type.is_array_like() && is_integer(index.type.dtype) && array.type.axes == 1;
  if (index.type.is_array_like() && index.type.axes == 0) return subscript(node, array, element_of(index, {}));
  if (is_plain) {
    const ArrayView from = view_of(array);
    const Item shape = shape_of(index);
    const auto at = [this, &node, from, index, array](std::span<const ir::Value> place) {
      const Item position = element_of(index, place);
      return subscript(node, array, position);
    };
    return materialise(node, computed(array.type.dtype, shape.values, at, {array, index}));
  }
  return call_object(node, environment_.host_method("__getitem__"), "an array as an index", {array, index}, {});
}

/// Stores a number, or the elements of an array, at places as above.
void Lowering::scatter(const Node& node, const Item& array, const Item& index, const Item& value) {
  if (index.type.is_array_like() && index.type.axes == 0) return store(node, array, element_of(index, {}), value);
  const bool is_mask = index.type.is_array_like() && is_boolean(index.type.dtype) && index.type.axes == array.type.axes;
  if (is_mask && value.type.is_scalar()) {
    const ArrayView view = view_of(array);
    const Item shape = shape_of(array);
    const ir::Value number = cast(value, array.type.dtype);
    const std::vector<ir::Value> given = shape_of(index).values;
    ir::Value differs = b.constant(Scalar::of_bool(false));
    for (size_t axis = 0; axis < given.size(); ++axis)
      if (given[axis] != shape.values[axis]) differs = b.bit_or(differs, b.ne(given[axis], shape.values[axis]));
    raise_if(node, differs, ExceptionNumber::index_error, "boolean index did not match indexed array");
    return each_index(shape.values, [&](std::span<const ir::Value> at) {
      const ArrayView place = element_at(view, at);
      store(node, place, scalar(b.select(element_of(index, at).values[0], number, load(place).values[0])));
    });
  }
  call_object(node, environment_.host_method("__setitem__"), "an array as an index",
              {array, index, in_memory(node, value)}, {});
}

namespace {

bool has_lists(const Item& index) {
  return index.type.kind == TypeKind::list ||
         (index.type.kind == TypeKind::tuple &&
          std::ranges::any_of(index.type.elements, [](const Type& type) { return type.kind == TypeKind::list; }));
}

}  // namespace

/// The index with arrays in the place of lists.
Item Lowering::without_lists(const Node& node, const Item& index) {
  if (index.type.kind == TypeKind::list) return materialise(node, without_list(node, index));
  if (index.type.kind != TypeKind::tuple || index.type.is_list) return index;
  std::vector<Item> items;
  for (size_t k = 0; k < index.type.elements.size(); ++k) {
    const Item one = element(index, k);
    items.push_back(one.type.kind == TypeKind::list ? materialise(node, without_list(node, one)) : one);
  }
  return tuple_of(items);
}

Item Lowering::subscript(const Node& node, const Item& object, const Item& index) {
  if (object.type.kind == TypeKind::record && object.type.axes > 0 && !index.type.is_entity(EntityKind::text)) {
    Item part{object.type, {}};
    const Item plain = options_.is_function ? in_memory(node, without_lists(node, index)) : index;
    const bool is_gathered = options_.is_function && is_array_index(plain);
    for (size_t k = 0; k < object.type.elements.size(); ++k) {
      Item array = element(object, k);
      const int axes = array.type.axes - object.type.axes;  // of the field itself
      Item of = array.type.kind == TypeKind::record || is_gathered ? subscript(node, array, plain)
                                                                   : sub_view(node, array, plain).item();
      if (is_gathered && array.type.is_bytes()) of.type.names = array.type.names;
      part.type.elements[k] = of.type;
      part.type.axes = of.type.axes - axes;
      part.values.insert(part.values.end(), of.values.begin(), of.values.end());
    }
    return part;
  }
  if (is_text(object.type)) return text_subscript(node, object, index);
  if (object.type.kind == TypeKind::list) return list_subscript(node, object, index);
  if (object.type.kind == TypeKind::range) {
    if (!index.type.is_scalar() || !is_integer(index.type.dtype))
      refuse(node, format("range[{}]", describe(index.type)), "an integer");
    const ir::Value zero = b.constant(DType::int64, 0), given = cast(index, DType::int64);
    const ir::Value count = count_range(range_of(object));
    const ir::Value k = b.select(b.lt(given, zero), b.add(given, count), given);
    raise_if(node, b.bit_or(b.lt(k, zero), b.ge(k, count)), ExceptionNumber::index_error,
             "range object index out of range");
    return scalar(b.add(object.values[0], b.mul(k, object.values[2])));
  }
  const bool is_chosen = !index.type.is_scalar() || constant_of(index) == nullptr;
  if (is_written_list(object) && options_.is_function && is_chosen)
    return list_subscript(node, list_of(node, object, ""), index);
  if (object.computed && object.computed->whole)
    return parts(subscript(node, *object.computed->whole, index), object.computed->is_imaginary);
  if (object.type.kind == TypeKind::computed) return subscript(node, materialise(node, object), index);
  if (object.type.is_array()) {
    if (has_lists(index)) return subscript(node, object, without_lists(node, index));
    if (is_array_index(index) && options_.is_function) return gather(node, object, index);
    const ArrayView view = sub_view(node, object, index);
    const AtNode at(*this, node);
    return view.axes.empty() ? load(view) : item_of(view);
  }
  if (object.type.kind == TypeKind::record) {
    return field(node, object, field_name(node, object, index));
  }
  if (object.type.kind != TypeKind::tuple) fail(node, format("{} has no elements", describe(object.type)));
  if (index.type.kind == TypeKind::slice) return tuple_slice(node, object, index);
  return tuple_element(node, object, index);
}

}  // namespace tessera::kernel
