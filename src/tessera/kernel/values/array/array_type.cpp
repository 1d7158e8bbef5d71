// Types of arrays: one in memory, a view of it, one of several, or one whose elements are computed.
#include <algorithm>
#include <tuple>

#include "tessera/base/format.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"

namespace tessera::kernel {

Type as_view(const Type& array) {
  if (array->is_view) return array;
  TypeParts view = *array;
  view.is_view = true;
  for (int axis = 0; axis < array->axes; ++axis) view.kept.push_back(axis);
  return view;
}

std::vector<Type> alternatives(const Type& array) {
  if (array->kind == TypeKind::choice) return array->elements;
  return {as_view(array)};
}

namespace {

/// In one order, whichever was assigned first.
bool precedes(const Type& a, const Type& b) {
  return std::tie(a->kind, a->id, a->kept) < std::tie(b->kind, b->id, b->kept);
}

std::optional<Type> unify_arrays(const Type& a, const Type& b) {
  if (!a.is_array() || !b.is_array()) return {};
  if (a->dtype != b->dtype || a->axes != b->axes || a->unit != b->unit || a->names != b->names) return std::nullopt;
  std::vector<Type> all = alternatives(a);
  for (const Type& other : alternatives(b))
    if (std::ranges::find(all, other) == all.end()) all.push_back(other);
  if (all.size() == 1) return all[0];
  std::ranges::sort(all, precedes);
  // The number of the array counts as one more of the axes along which views begin.
  TypeParts choice{
      .kind = TypeKind::choice, .dtype = a->dtype, .unit = a->unit, .axes = a->axes, .base_axes = 1, .is_view = true};
  for (const Type& one : all) choice.base_axes += one->base_axes;
  choice.elements = std::move(all);
  choice.names = a->names;
  return choice;
}

std::string describe_array(const Type& type) {
  if (type.is_bytes()) return type->names[0];
  if (type->unit) return format("array({}, {}d)", name_of_unit(type->unit), type->axes);
  return format("array({}, {}d)", type->dtype, type->axes);
}

/// Where a view begins, its steps and its extents; of one that is no view nothing.
void append_view(const Type& type, std::vector<DType>& dtypes) {
  if (type->is_view) dtypes.insert(dtypes.end(), static_cast<size_t>(type->base_axes + 2 * type->axes), DType::int64);
}

}  // namespace

const TypeRules array_type{.describe = describe_array, .append_scalars = append_view, .unify = unify_arrays};

}  // namespace tessera::kernel
