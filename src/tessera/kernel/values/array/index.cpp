// Indices: elements and views of arrays. Views are worked out while lowering; only their elements are accessed.
#include "tessera/kernel/values/array/index.h"

#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/slice.h"
#include "tessera/kernel/values/date/date.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

std::string all_axes(int axes) {
  std::string text = "a[i";
  for (int k = 1; k < axes; ++k) text += format(", {}", "ijklmnop"[k % 8]);
  return text + "]";
}

bool is_ellipsis(const Item& item) {
  return item.type->kind == TypeKind::entity && item.type->entity.kind == EntityKind::ellipsis;
}

/// The indices that stand in the brackets.
std::vector<Item> listed(const Item& index) {
  if (index.type->kind != TypeKind::tuple) return {index};
  std::vector<Item> items;
  for (size_t k = 0; k < index.type->elements.size(); ++k) items.push_back(element(index, k));
  return items;
}

// As many indices as there are axes: an ellipsis, or the end, stands for the whole of those that are left out.
std::vector<Item> full_index(Lowering& l, const Node& node, int axes, const Item& index) {
  const std::vector<Item> given = listed(index);
  int named = 0, ellipses = 0;
  for (const Item& item : given) {
    ellipses += is_ellipsis(item);
    named += !is_ellipsis(item) && item.type->kind != TypeKind::none;
  }
  if (ellipses > 1) l.fail(node, "an index with two ellipses");
  if (named > axes) {
    l.fail(node, format("an array of {} axes with {} {}", axes, named, named == 1 ? "index" : "indices"),
           axes > 0 ? all_axes(axes) : "a[()]");
  }
  const Item whole{TypeParts{.kind = TypeKind::slice, .elements = {{}, {}, {}}}, {}};
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

/// Raises IndexError for an index that is outside.
void check_index(Lowering& l, const Node& node, const Item& index, ir::Value extent, size_t axis) {
  ir::Builder& b = l.b;
  const ir::Value at = l.cast(index, DType::int64);
  const ir::Value outside = b.bit_or(b.ge(at, extent), b.lt(at, b.neg(extent)));
  const Item numbers[] = {l.scalar(at), l.constant(static_cast<int64_t>(axis)), l.scalar(extent)};
  const std::string array = l.options.is_function ? "" : ", array " + array_name(node);
  l.failures.raise_if(node, outside, ExceptionNumber::index_error,
                      "index {} is out of bounds for axis {} with size {}" + array, numbers);
}

/// The elements at an array of indices, or where an array of booleans is true, in a new array.
Item gather(Lowering& l, const Node& node, const Item& array, const Item& index) {
  const bool is_plain = index.type.is_array_like() && is_integer(index.type->dtype) && array.type->axes == 1;
  if (index.type.is_array_like() && index.type->axes == 0) return subscript(l, node, array, element_of(l, index, {}));
  if (is_plain) {
    const ArrayView from = view_of(l, array);
    const Item shape = shape_of(l, index);
    const auto at = [&l, &node, from, index, array](std::span<const ir::Value> place) {
      const Item position = element_of(l, index, place);
      return subscript(l, node, array, position);
    };
    const Item elements = computed(array.type->dtype, shape.values, at, {array, index});
    return materialise(l, node, {with_unit({elements.type, {}}, array.type->unit).type, {}, elements.computed});
  }
  return l.host_calls.call_object(node, l.environment.host_method("__getitem__"), "an array as an index",
                                  {array, index}, {});
}

bool has_lists(const Item& index) {
  return index.type->kind == TypeKind::list ||
         (index.type->kind == TypeKind::tuple &&
          std::ranges::any_of(index.type->elements, [](const Type& type) { return type->kind == TypeKind::list; }));
}

}  // namespace

ArrayView view_of(Lowering& l, const Item& array) {
  ir::Builder& b = l.b;
  ArrayView view;
  const auto zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  if (!array.type->is_view) {
    ArrayView::Base base{.array = array.type};
    base.begins.assign(static_cast<size_t>(array.type->axes), zero);
    const Item shape = shape_of(l, array);
    for (int axis = 0; axis < array.type->axes; ++axis) {
      base.kept.push_back(axis);
      view.axes.push_back({one, shape.values[static_cast<size_t>(axis)]});
    }
    view.bases.push_back(std::move(base));
    return view;
  }
  auto next = array.values.begin();
  if (array.type->kind == TypeKind::choice) view.which = *next++;
  for (const Type& one_view : alternatives(array.type)) {
    TypeParts whole = *one_view;
    whole.is_view = false;
    whole.axes = one_view->base_axes;
    whole.kept.clear();
    ArrayView::Base base{.array = whole, .kept = one_view->kept};
    base.begins.assign(next, next + one_view->base_axes);
    next += one_view->base_axes;
    view.bases.push_back(std::move(base));
  }
  for (int axis = 0; axis < array.type->axes; ++axis) view.axes.push_back({next[axis], next[array.type->axes + axis]});
  return view;
}

Item item_of(Lowering& l, const ArrayView& view) {
  const ArrayView::Base& base = view.bases[0];
  if (view.bases.size() > 1 || base.array->is_heap) return view.item();
  const Item whole{base.array, {}};
  const ArrayView all = view_of(l, whole);
  bool same =
      view.axes.size() == all.axes.size() && base.begins == all.bases[0].begins && base.kept == all.bases[0].kept;
  for (size_t k = 0; same && k < view.axes.size(); ++k)
    same = view.axes[k].step == all.axes[k].step && view.axes[k].extent == all.axes[k].extent;
  return same ? whole : view.item();
}

/// The view as one of another type, whose arrays are those of this one and others.
Item convert_view(Lowering& l, const Item& array, const Type& type) {
  ir::Builder& b = l.b;
  if (type->kind != TypeKind::choice) {
    const Item view = view_of(l, array).item();
    // What has been widened since the loop began is not passed on: another pass follows.
    return view.type == type ? view : l.zero(type);
  }
  ArrayView from = view_of(l, array), to{.axes = from.axes};
  const auto number = [&](size_t k) { return b.constant(Scalar::of_int(DType::int64, static_cast<int64_t>(k))); };
  const std::vector<Type> known = alternatives(array.type);
  std::vector<ir::Value> places(from.bases.size(), ir::no_value);
  for (size_t k = 0; k < type->elements.size(); ++k) {
    const auto at = static_cast<size_t>(std::ranges::find(known, type->elements[k]) - known.begin());
    ArrayView::Base base{.array = type->elements[k], .kept = type->elements[k]->kept};
    base.begins.assign(static_cast<size_t>(base.array->base_axes), number(0));
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

std::vector<ir::Value> for_base(Lowering& l, const ArrayView& view, const BaseBody& body, size_t first) {
  ir::Builder& b = l.b;
  if (first + 1 == view.bases.size()) return body(view.bases[first]);
  const ir::Value number = b.constant(Scalar::of_int(DType::int64, static_cast<int64_t>(first)));
  const auto side = [&](bool is_this) {
    return [&, is_this](std::span<const ir::Value>) {
      return is_this ? body(view.bases[first]) : for_base(l, view, body, first + 1);
    };
  };
  return b.if_(b.eq(view.which, number), side(true), side(false));
}

Item shape_of(Lowering& l, const Item& array) {
  if (array.type->kind == TypeKind::computed) {
    std::vector<Item> extents;
    for (ir::Value extent : array.computed->extents) extents.push_back(l.scalar(extent));
    return tuple_of(extents);
  }
  if (array.type->kind == TypeKind::record) {
    const Item shape = shape_of(l, element(array, 0));
    std::vector<Item> extents;
    for (int axis = 0; axis < array.type->axes; ++axis) extents.push_back(element(shape, static_cast<size_t>(axis)));
    return tuple_of(extents);
  }
  std::vector<Item> extents;
  for (int axis = 0; axis < array.type->axes; ++axis) {
    if (array.type->is_view) {
      extents.push_back(l.scalar(array.values[array.type->base_axes + array.type->axes + axis]));
    } else if (array.type->kind == TypeKind::buffer && !array.type->is_constant) {
      extents.push_back(l.scalar(l.b.dimension(l.memory.number_of(array.type), axis)));
    } else if (array.type.is_dynamic()) {
      extents.push_back(l.memory.dynamic_size(array.type->dtype));
    } else {
      extents.push_back(l.constant(array.type->extents[axis]));
    }
  }
  return tuple_of(extents);
}

Item Memory::dynamic_size(DType element) {
  if (!reads_shared_bytes()) shared_bytes_ = b.add_scalar(DType::int64);
  return l_.scalar(b.div(b.scalar(shared_bytes_), l_.constant(itemsize(element)).values[0]));
}

/// An integer index, from the end where it is negative. Unsigned ones, and those that are never negative, are as they
/// are.
ir::Value within(Lowering& l, const Item& index, ir::Value extent) {
  ir::Builder& b = l.b;
  const ir::Value value = l.cast(index, DType::int64);
  if (is_unsigned_integer(index.type->dtype) || l.facts.is_non_negative(value)) return value;
  const ir::Value from_end = b.add(value, extent);
  if (l.constant_of(l.scalar(value))) return from_end;
  return b.select(b.lt(value, b.zero_like(value)), from_end, value);
}

ArrayView sub_view(Lowering& l, const Node& node, const Item& array, const Item& index) {
  const ArrayView from = view_of(l, array);
  ArrayView view{.bases = from.bases, .which = from.which};
  for (ArrayView::Base& base : view.bases) base.kept.clear();
  size_t next = 0;
  for (const Item& item : full_index(l, node, array.type->axes, index)) {
    if (item.type->kind == TypeKind::none) {
      const ir::Value one = l.b.constant(DType::int64, 1);
      view.axes.push_back({one, one});
      for (ArrayView::Base& base : view.bases) base.kept.push_back(-1);
      continue;
    }
    const size_t from_axis = next++;
    const ArrayView::Axis& axis = from.axes[from_axis];
    const bool slice = item.type->kind == TypeKind::slice;
    if (!slice && (!item.type.is_scalar() || item.type->unit || !is_integer(item.type->dtype)))
      l.fail(node, format("an index is {}", describe(item.type)), "an integer, such as int(x)");
    ir::Value begin = ir::no_value;
    if (slice) {
      view.axes.push_back(sliced(l, node, item, axis, begin));
    } else {
      begin = within(l, item, axis.extent);
      if (l.options.checks_bounds) check_index(l, node, item, axis.extent, from_axis);
    }
    for (size_t k = 0; k < view.bases.size(); ++k) {
      const int of = from.bases[k].kept[from_axis];
      if (slice) view.bases[k].kept.push_back(of);
      if (begin != ir::no_value) move_begin(l, view.bases[k], of, axis.step, begin);
    }
  }
  return view;
}

/// The view begins `by` steps further along an axis of the array.
void move_begin(Lowering& l, ArrayView::Base& base, int axis, ir::Value step, ir::Value by) {
  ir::Builder& b = l.b;
  if (axis < 0) return;
  ir::Value& begin = base.begins[static_cast<size_t>(axis)];
  begin = b.add(begin, b.mul(step, by));
}

std::vector<ir::Value> address(Lowering& l, const ArrayView::Base& element) {
  ir::Builder& b = l.b;
  if (element.array->kind == TypeKind::buffer) return element.begins;
  if (element.begins.empty()) return {b.constant(DType::int64, 0)};
  ir::Value linear = element.begins[0];
  for (size_t axis = 1; axis < element.begins.size(); ++axis)
    linear = b.add(b.mul(linear, b.constant(Scalar::of_int(DType::int64, element.array->extents[axis]))),
                   element.begins[axis]);
  return {linear};
}

Item tuple_element(Lowering& l, const Node& node, const Item& tuple, const Item& index) {
  ir::Builder& b = l.b;
  const Scalar* which = l.constant_of(index);
  const int64_t count = static_cast<int64_t>(tuple.type->elements.size());
  if (which && !is_floating(which->dtype)) {
    const int64_t k = which->as_int() < 0 ? which->as_int() + count : which->as_int();
    if (k < 0 || k >= count) l.fail(node, format("index {} of a tuple of {}", which->as_int(), count));
    return element(tuple, static_cast<size_t>(k));
  }
  if (count == 0 && l.options.is_function && index.type.is_scalar()) {
    l.failures.raise_if(node, b.constant(Scalar::of_bool(true)), ExceptionNumber::index_error,
                        "tuple index out of range");
    return l.constant(0);
  }
  std::optional<Type> common;
  if (count > 0 && index.type.is_scalar() && is_integer(index.type->dtype)) common = tuple.type->elements[0];
  for (const Type& type : tuple.type->elements)
    if (common) common = unify(*common, type);
  if (!common) {
    l.fail(node,
           format("the index of {} is not constant, and its elements are of different types", describe(tuple.type)),
           "a constant index");
  }
  const ir::Value extent = b.constant(Scalar::of_int(DType::int64, count));
  if (l.options.checks_bounds || l.options.is_function) {
    const ir::Value at = l.cast(index, DType::int64);
    l.failures.raise_if(node, b.bit_or(b.ge(at, extent), b.lt(at, b.neg(extent))), ExceptionNumber::index_error,
                        "tuple index out of range");
  }
  const ir::Value k = within(l, index, extent);
  Item chosen = l.convert(element(tuple, 0), *common);
  for (int64_t at = 1; at < count; ++at) {
    const Item other = l.convert(element(tuple, static_cast<size_t>(at)), *common);
    const ir::Value is_this = b.eq(k, b.constant(Scalar::of_int(DType::int64, at)));
    for (size_t v = 0; v < chosen.values.size(); ++v)
      chosen.values[v] = b.select(is_this, other.values[v], chosen.values[v]);
  }
  return chosen;
}

/// Whether an index is an array of them, or has one.
bool is_array_index(const Item& index) {
  const auto is_many = [](const Type& type) { return type.is_array_like() || type->is_list; };
  if (index.type->kind == TypeKind::tuple)
    return index.type->is_list || std::ranges::any_of(index.type->elements, is_many);
  return index.type.is_array_like();
}

/// Stores a number, or the elements of an array, at places as above.
void scatter(Lowering& l, const Node& node, const Item& array, const Item& index, const Item& value) {
  ir::Builder& b = l.b;
  if (index.type.is_array_like() && index.type->axes == 0)
    return store(l, node, array, element_of(l, index, {}), value);
  const bool is_mask =
      index.type.is_array_like() && is_boolean(index.type->dtype) && index.type->axes == array.type->axes;
  if (is_mask && value.type.is_scalar()) {
    const ArrayView view = view_of(l, array);
    const Item shape = shape_of(l, array);
    const ir::Value number =
        array.type->unit ? date_for(l, node, value, array.type->unit).values[0] : l.cast(value, array.type->dtype);
    const std::vector<ir::Value> given = shape_of(l, index).values;
    ir::Value differs = b.constant(Scalar::of_bool(false));
    for (size_t axis = 0; axis < given.size(); ++axis)
      if (given[axis] != shape.values[axis]) differs = b.bit_or(differs, b.ne(given[axis], shape.values[axis]));
    l.failures.raise_if(node, differs, ExceptionNumber::index_error, "boolean index did not match indexed array");
    return each_index(l, shape.values, [&](std::span<const ir::Value> at) {
      const ArrayView place = element_at(l, view, at);
      store(l, node, place, l.scalar(b.select(element_of(l, index, at).values[0], number, load(l, place).values[0])));
    });
  }
  l.host_calls.call_object(node, l.environment.host_method("__setitem__"), "an array as an index",
                           {array, index, l.in_memory(node, value)}, {});
}

/// The index with arrays in the place of lists.
Item without_lists(Lowering& l, const Node& node, const Item& index) {
  if (index.type->kind == TypeKind::list) return materialise(l, node, without_list(l, node, index));
  if (index.type->kind != TypeKind::tuple || index.type->is_list) return index;
  std::vector<Item> items;
  for (size_t k = 0; k < index.type->elements.size(); ++k) {
    const Item one = element(index, k);
    items.push_back(one.type->kind == TypeKind::list ? materialise(l, node, without_list(l, node, one)) : one);
  }
  return tuple_of(items);
}

Item leading_index(Lowering& l, const Node& node, const Item& records, const Item& index) {
  const std::vector<Item> given = listed(index);
  if (std::ranges::none_of(given, is_ellipsis)) return index;
  return tuple_of(full_index(l, node, records.type->axes, index));
}

void check_no_index(Lowering& l, const Node& node, const Item& index) {
  if (!listed(index).empty() && !is_ellipsis(index)) l.fail(node, "an index of an array of no axes", "a[()]");
}

Item subscript(Lowering& l, const Node& node, const Item& object, const Item& index) {
  ir::Builder& b = l.b;
  if (const std::optional<Item> found = ask_values(&ValueRules::subscript, l, node, object, index)) return *found;
  if (object.type->kind == TypeKind::range) {
    if (!index.type.is_scalar() || !is_integer(index.type->dtype))
      l.refuse(node, format("range[{}]", describe(index.type)), "an integer");
    const ir::Value zero = b.constant(DType::int64, 0), given = l.cast(index, DType::int64);
    const ir::Value count = count_range(l, range_of(object));
    const ir::Value k = b.select(b.lt(given, zero), b.add(given, count), given);
    l.failures.raise_if(node, b.bit_or(b.lt(k, zero), b.ge(k, count)), ExceptionNumber::index_error,
                        "range object index out of range");
    return l.scalar(b.add(object.values[0], b.mul(k, object.values[2])));
  }
  if (object.computed && object.computed->whole)
    return parts(l, subscript(l, node, *object.computed->whole, index), object.computed->is_imaginary);
  if (object.type->kind == TypeKind::computed) return subscript(l, node, materialise(l, node, object), index);
  if (object.type.is_array()) {
    if (has_lists(index)) return subscript(l, node, object, without_lists(l, node, index));
    if (is_array_index(index) && l.options.is_function) return gather(l, node, object, index);
    const ArrayView view = sub_view(l, node, object, index);
    const AtNode at(l, node);
    return view.axes.empty() ? load(l, view) : item_of(l, view);
  }
  if (object.type->kind != TypeKind::tuple) l.fail(node, format("{} has no elements", describe(object.type)));
  if (index.type->kind == TypeKind::slice) return tuple_slice(l, node, object, index);
  return tuple_element(l, node, object, index);
}

}  // namespace tessera::kernel
