// Elements: loads, stores, loops over all elements of a view, and the fields of records.
#include "tessera/kernel/values/array/element.h"

#include <algorithm>

#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/row.h"
#include "tessera/kernel/values/array/whole.h"
#include "tessera/kernel/values/date/date.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

/// A number, or an array that is broadcast, for all elements of a view.
/// The elements of a tuple or a written list, one after another.
void store_tuple(Lowering& l, const Node& node, const ArrayView& view, const Item& value) {
  const auto count = static_cast<int64_t>(value.type->elements.size());
  if (l.options.is_function || l.options.checks_bounds) {
    const ir::Value differs = l.b.ne(view.axes[0].extent, l.number(count));
    const std::string text = format("{} elements do not fit into an array of ", count) + "{}";
    l.failures.raise_if(node, differs, ExceptionNumber::value_error, text, std::vector{l.scalar(view.axes[0].extent)});
  }
  for (int64_t k = 0; k < count; ++k)
    store(l, node, element_at(l, view, std::vector{l.number(k)}), element(value, static_cast<size_t>(k)));
}

/// The array without its first axes, which raises ValueError where they have not one element.
Item without_leading_axes(Lowering& l, const Node& node, const Item& value, size_t axes) {
  ir::Builder& b = l.b;
  const ArrayView from = view_of(l, l.in_memory(node, value));
  const size_t more = from.axes.size() - axes;
  ArrayView view = from;
  view.axes.erase(view.axes.begin(), view.axes.begin() + static_cast<int64_t>(more));
  for (ArrayView::Base& base : view.bases)
    base.kept.erase(base.kept.begin(), base.kept.begin() + static_cast<int64_t>(more));
  ir::Value differs = b.constant(Scalar::of_bool(false));
  for (size_t axis = 0; axis < more; ++axis) differs = b.bit_or(differs, b.ne(from.axes[axis].extent, l.number(1)));
  l.failures.raise_if(node, differs, ExceptionNumber::value_error,
                      "could not broadcast the right side to the places on the left");
  return item_of(l, view);
}

void store_all(Lowering& l, const Node& node, const ArrayView& view, const Item& value) {
  const bool are_numbers =
      value.type->kind == TypeKind::tuple && std::ranges::all_of(value.type->elements, &Type::is_scalar);
  if (are_numbers && view.axes.size() == 1 && value.type->elements.size() > 1) return store_tuple(l, node, view, value);
  if (value.type->kind == TypeKind::tuple && l.options.is_function)
    return store_all(l, node, view, array_of_list(l, node, list_of(l, node, value, "")));
  if (value.type.is_array_like() && l.options.is_function && value.type->axes > static_cast<int>(view.axes.size()))
    return store_all(l, node, view, without_leading_axes(l, node, value, view.axes.size()));
  const bool fits =
      value.type.is_scalar() || (value.type.is_array_like() && value.type->axes <= static_cast<int>(view.axes.size()));
  if (!fits) l.fail(node, format("{} for elements of {}", describe(value.type), describe(view.type())));
  if (!value.type.is_array_like()) return store_each(l, node, view, value);
  std::vector<ir::Value> extents;
  for (const ArrayView::Axis& axis : view.axes) extents.push_back(axis.extent);
  extents = checked_extents(l, node, value, std::move(extents));
  ArrayView places = view;
  for (size_t axis = 0; axis < extents.size(); ++axis) places.axes[axis].extent = extents[axis];
  store_each(l, node, places, apart_from(l, node, value, view));
}

void store_part(Lowering& l, const Node& node, const Computed& parts, const Item& index, const Item& value) {
  ir::Builder& b = l.b;
  const Item number = subscript(l, node, *parts.whole, index);
  if (!number.type.is_scalar() || !value.type.is_scalar() || is_complex(value.type->dtype))
    l.fail(node, format("{} for parts of complex numbers", describe(value.type)), "a real number for one element");
  const ir::Value part = l.cast(value, real_dtype(number.type->dtype));
  const ir::Value whole = parts.is_imaginary ? b.make_complex(b.real(number.values[0]), part)
                                             : b.make_complex(part, b.imag(number.values[0]));
  store(l, node, *parts.whole, index, l.scalar(whole));
}

}  // namespace

Item load(Lowering& l, const ArrayView& element) {
  ir::Builder& b = l.b;
  const Unit unit = element.bases[0].array->unit;
  const auto of_type = [&](ir::Value value) { return unit ? Item{dated(unit), {value}} : l.scalar(value); };
  if (const std::optional<Scalar> known = l.memory.known_element(element)) return of_type(b.constant(*known));
  return of_type(for_base(l, element, [&](const ArrayView::Base& base) {
    if (l.options.is_body && base.array->is_constant) return std::vector{l.memory.chosen_element(base)};
    const std::vector<ir::Value> at = address(l, base);
    l.checks.check_access(Access::read, base, at);
    const uint32_t number = l.memory.number_of(base.array);
    return std::vector{base.array->kind == TypeKind::array ? b.load_array(number, at[0]) : b.load(number, at, l.hint)};
  })[0]);
}

void store(Lowering& l, const Node& node, const ArrayView& view, const Item& value) {
  ir::Builder& b = l.b;
  const AtNode at_node(l, node);
  const Type array = view.type();
  for (const ArrayView::Base& base : view.bases)
    if (base.array->is_constant)
      l.fail(node, "an array outside the kernel is assigned; its elements are constants", "pass it as an argument");
  if (!view.axes.empty()) return store_all(l, node, view, value);
  if (!value.type.is_scalar())
    l.fail(node, format("{} for an element of {}", describe(value.type), array->dtype),
           value.type.is_array_like() ? "one element of it, such as a[i]" : "");
  if (is_complex(value.type->dtype) && !is_complex(array->dtype))
    l.fail(node, format("{} for an element of {}", value.type->dtype, describe(array)), "its .real");
  if (value.type->unit && !array->unit)
    l.fail(node, format("{} for an element of {}", describe(value.type), describe(array)), "an array of that dtype");
  const ir::Value element = array->unit ? date_for(l, node, value, array->unit).values[0] : l.cast(value, array->dtype);
  for_base(l, view, [&](const ArrayView::Base& base) {
    const std::vector<ir::Value> at = address(l, base);
    l.checks.check_access(Access::write, base, at, element);
    const uint32_t number = l.memory.number_of(base.array);
    if (base.array->kind == TypeKind::array)
      b.store_array(number, element, at[0]);
    else
      b.store(number, element, at, l.hint);
    return std::vector<ir::Value>{};
  });
}

void store(Lowering& l, const Node& node, const Item& object, const Item& index, const Item& value) {
  if (ask_values(&ValueRules::store, l, node, object, index, value)) return;
  if (index.type->kind == TypeKind::list || index.type->kind == TypeKind::tuple) {
    const Item plain = without_lists(l, node, index);
    if (plain.type != index.type) return store(l, node, object, plain, value);
  }
  if (value.type->kind == TypeKind::list) return store(l, node, object, index, array_of_list(l, node, value));
  if (object.computed && object.computed->whole) return store_part(l, node, *object.computed, index, value);
  if (!object.type.is_array()) l.fail(node, format("elements of {} cannot be assigned", describe(object.type)));
  if (value.type.is_array_like() && value.type->axes == 0)
    return store(l, node, object, index, element_of(l, value, {}));
  if (is_array_index(index) && l.options.is_function) return scatter(l, node, object, index, value);
  store(l, node, sub_view(l, node, object, index), value);
}

ArrayView element_at(Lowering& l, const ArrayView& view, std::span<const ir::Value> at) {
  ArrayView element{.bases = view.bases, .which = view.which};
  for (ArrayView::Base& base : element.bases) {
    for (size_t k = 0; k < view.axes.size(); ++k) move_begin(l, base, base.kept[k], view.axes[k].step, at[k]);
    base.kept.clear();
  }
  return element;
}

Item repeated_element(Lowering& l, const Item& value, std::span<const ir::Value> at) {
  ir::Builder& b = l.b;
  if (!value.type.is_array_like()) return value;
  std::vector<ir::Value> own(at.end() - value.type->axes, at.end());
  if (l.nothing_repeats) return element_of(l, value, own);
  const Item shape = shape_of(l, value);
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  for (size_t k = 0; k < own.size(); ++k) own[k] = b.select(b.eq(shape.values[k], one), zero, own[k]);
  return element_of(l, value, own);
}

Item element_of(Lowering& l, const Item& array, std::span<const ir::Value> at) {
  if (array.type->kind == TypeKind::computed) return array.computed->element(at);
  return load(l, element_at(l, view_of(l, array), at));
}

Item parts(Lowering& l, const Item& object, bool is_imaginary) {
  const auto part = [&l, is_imaginary](const Item& number) {
    return l.scalar(is_imaginary ? l.b.imag(number.values[0]) : l.b.real(number.values[0]));
  };
  if (object.type.is_scalar()) return part(object);
  Item made =
      computed(real_dtype(object.type->dtype), shape_of(l, object).values,
               [&l, object, part](std::span<const ir::Value> at) { return part(element_of(l, object, at)); }, {object});
  if (!object.type.is_array()) return made;
  Computed in_place = *made.computed;
  in_place.whole = std::make_shared<const Item>(object);
  in_place.is_imaginary = is_imaginary;
  made.computed = std::make_shared<const Computed>(std::move(in_place));
  return made;
}

void each_index(Lowering& l, std::span<const ir::Value> extents,
                const std::function<void(std::span<const ir::Value>)>& body) {
  each_place(l, std::vector<ir::Value>(extents.size(), l.b.constant(DType::int64, 0)), extents, body);
}

Item reduce(Lowering& l, const Item& array, const Item& first, const Join& join, std::optional<ir::ReduceKind> kind) {
  const std::vector<ir::Value> to = shape_of(l, array).values;
  const std::vector<ir::Value> from(to.size(), l.b.constant(DType::int64, 0));
  const bool at_once = kind && l.parallel.runs_at_once() && !to.empty();
  const auto run = [&] {
    return at_once ? l.parallel.reduce_at_once(array, first, join, *kind)
                   : reduce_between(l, array, from, to, first, join, kind);
  };
  return {first.type, uniformly(l, array, to, run)};
}

Reduced reduce_between(Lowering& l, const Item& array, std::span<const ir::Value> from, std::span<const ir::Value> to,
                       const Item& first, const Join& join, std::optional<ir::ReduceKind> kind) {
  ir::Builder& b = l.b;
  const ir::Value one = b.constant(DType::int64, 1);
  std::vector<ir::Value> at;
  const auto element = [&](ir::Value last) {
    at.push_back(last);
    const Item found = element_of(l, array, at);
    at.pop_back();
    return found;
  };
  const std::function<Reduced(Reduced)> along = [&](Reduced sofar) {
    const size_t axis = at.size();
    const auto join_to = [&](const Reduced& value, const Item& next) {
      return l.convert(join({first.type, value}, next), first.type).values;
    };
    if (to.empty()) return join_to(sofar, element_of(l, array, at));
    const bool is_last = axis + 1 == to.size();
    if (is_last && kind)
      return join_to(sofar, l.scalar(reduce_row(l, array, at, from[axis], to[axis], *kind,
                                                [&](ir::Value k) { return l.cast(element(k), first.type->dtype); })));
    return b.for_(from[axis], to[axis], one, sofar, [&](std::span<const ir::Value> args) {
      const Reduced value(args.begin() + 1, args.end());
      if (is_last) return join_to(value, element(args[0]));
      at.push_back(args[0]);
      Reduced next = along(value);
      at.pop_back();
      return next;
    });
  };
  return along(first.values);
}

}  // namespace tessera::kernel
