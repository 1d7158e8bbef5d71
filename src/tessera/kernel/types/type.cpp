#include "tessera/kernel/types/type.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "tessera/base/format.h"
#include "tessera/base/hash.h"

namespace tessera::kernel {

namespace {

bool same_entity(const Entity& a, const Entity& b) {
  const bool same_array = a.array == b.array || (a.array && b.array && *a.array == *b.array);
  return a.kind == b.kind && a.name == b.name && a.value == b.value && a.function == b.function &&
         a.foreign == b.foreign && same_array && a.names == b.names &&
         std::ranges::equal(a.elements, b.elements, same_entity);
}

}  // namespace

bool operator==(const Type& a, const Type& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.id == b.id && a.axes == b.axes && a.is_view == b.is_view &&
         a.kept == b.kept && a.extents == b.extents && a.elements == b.elements && a.names == b.names &&
         same_entity(a.entity, b.entity);
}

namespace {

void add(Hash& hash, const Type& type);

void add(Hash& hash, const Entity& entity) {
  hash.add(static_cast<uint64_t>(entity.kind));
  hash.add(entity.name);
  for (const auto byte : entity.value.bytes) hash.add(static_cast<uint64_t>(byte));
}

void add(Hash& hash, const Type& type) {
  hash.add(static_cast<uint64_t>(type.kind) << 32 | static_cast<uint64_t>(type.dtype) << 16 |
           static_cast<uint64_t>(type.axes));
  for (const std::string& name : type.names) hash.add(name);
  for (const Type& element : type.elements) add(hash, element);
  add(hash, type.entity);
}

}  // namespace

uint64_t hash_of(const Type& type) {
  Hash hash;
  add(hash, type);
  return hash.value();
}

namespace {

std::string listed(const Type& type, std::string_view begin, std::string_view end) {
  std::string text(begin);
  for (size_t k = 0; k < type.elements.size(); ++k) {
    if (k) text += ", ";
    if (!type.names.empty()) text += type.names[k] + ": ";
    text += describe(type.elements[k]);
  }
  return text + std::string(end);
}

}  // namespace

bool is_text(const Type& type) { return type.kind == TypeKind::texts || type.is_entity(EntityKind::text); }

std::vector<std::string> texts_of(const Type& type) {
  return type.kind == TypeKind::texts ? type.names : std::vector{type.entity.name};
}

std::string describe(const Type& type) {
  switch (type.kind) {
    case TypeKind::none: return "None";
    case TypeKind::scalar: return std::string(name(type.dtype));
    case TypeKind::pointer:
      return type.names.empty() ? format("address of {}", type.dtype) : std::string("address of void");
    case TypeKind::buffer:
    case TypeKind::array:
    case TypeKind::choice:
    case TypeKind::computed:
      if (type.is_bytes()) return type.names[0];
      return format("array({}, {}d)", type.dtype, type.axes);
    case TypeKind::tuple: return listed(type, "tuple(", ")");
    case TypeKind::slice: return "slice";
    case TypeKind::range: return "range";
    case TypeKind::optional: return listed(type, "optional(", ")");
    case TypeKind::formatted:
    case TypeKind::texts: return "str";
    case TypeKind::list: return type.elements.empty() ? "list" : listed(type, "list(", ")");
    case TypeKind::record:
      return type.axes ? format("{}d array of {}", type.axes, listed(type, "records(", ")"))
                       : listed(type, "record(", ")");
    case TypeKind::entity: break;
  }
  switch (type.entity.kind) {
    case EntityKind::builtin: return "function " + type.entity.name;
    case EntityKind::host: return "function " + type.entity.name;
    case EntityKind::foreign: return "function " + type.entity.foreign->function.name;
    case EntityKind::function: return "device function " + type.entity.function->name();
    case EntityKind::stencil: return "stencil " + type.entity.function->name();
    case EntityKind::dtype: return format("type {}", type.entity.value.dtype);
    case EntityKind::text: return "str";
    case EntityKind::ellipsis: return "...";
    case EntityKind::record: return "type of records";
    case EntityKind::named: return "type of named tuples";
    default: return type.entity.name;
  }
}

void append_scalars(const Type& type, std::vector<DType>& dtypes) {
  if (type.is_scalar()) dtypes.push_back(type.dtype);
  if (type.kind == TypeKind::pointer) dtypes.push_back(DType::int64);
  if (type.kind == TypeKind::optional) dtypes.push_back(DType::boolean);
  if (type.kind == TypeKind::list || type.kind == TypeKind::texts) return dtypes.push_back(DType::int64);
  if (type.is_view) {
    dtypes.insert(dtypes.end(), static_cast<size_t>(type.base_axes + 2 * type.axes), DType::int64);
    return;
  }
  for (const Type& element : type.elements) append_scalars(element, dtypes);
}

Item held(const Item& optional) {
  return {optional.type.elements[0], {optional.values.begin() + 1, optional.values.end()}};
}

Item element(const Item& tuple, size_t k) {
  size_t first = 0;
  std::vector<DType> dtypes;
  for (size_t before = 0; before < k; ++before) append_scalars(tuple.type.elements[before], dtypes);
  first = dtypes.size();
  append_scalars(tuple.type.elements[k], dtypes);
  const auto begin = tuple.values.begin();
  return {tuple.type.elements[k], {begin + static_cast<int64_t>(first), begin + static_cast<int64_t>(dtypes.size())}};
}

Item tuple_of(const std::vector<Item>& items) {
  Item tuple{Type::tuple({}), {}};
  for (const Item& item : items) {
    tuple.type.elements.push_back(item.type);
    tuple.values.insert(tuple.values.end(), item.values.begin(), item.values.end());
  }
  return tuple;
}

Type as_view(const Type& array) {
  Type view = array;
  if (array.kind == TypeKind::choice) return view;
  view.is_view = true;
  if (!array.is_view) {
    for (int axis = 0; axis < array.axes; ++axis) view.kept.push_back(axis);
  }
  return view;
}

std::vector<Type> alternatives(const Type& array) {
  if (array.kind == TypeKind::choice) return array.elements;
  return {as_view(array)};
}

namespace {

/// In one order, whichever was assigned first.
bool precedes(const Type& a, const Type& b) { return std::tie(a.kind, a.id, a.kept) < std::tie(b.kind, b.id, b.kept); }

std::optional<Type> unify_arrays(const Type& a, const Type& b) {
  if (a.dtype != b.dtype || a.axes != b.axes) return std::nullopt;
  std::vector<Type> all = alternatives(a);
  for (const Type& other : alternatives(b))
    if (std::ranges::find(all, other) == all.end()) all.push_back(other);
  if (all.size() == 1) return all[0];
  std::ranges::sort(all, precedes);
  // The number of the array counts as one more of the axes along which views begin.
  Type choice{.kind = TypeKind::choice, .dtype = a.dtype, .axes = a.axes, .base_axes = 1, .is_view = true};
  for (const Type& one : all) choice.base_axes += one.base_axes;
  choice.elements = std::move(all);
  return choice;
}

bool may_be_none(const Type& type) { return type.kind == TypeKind::none || type.kind == TypeKind::optional; }

std::optional<Type> unify_optional(const Type& a, const Type& b) {
  const auto inside = [](const Type& type) { return type.kind == TypeKind::optional ? type.elements[0] : type; };
  const Type x = inside(a), y = inside(b);
  const std::optional<Type> value = x.kind == TypeKind::none   ? std::optional(y)
                                    : y.kind == TypeKind::none ? std::optional(x)
                                                               : unify(x, y);
  if (!value) return {};
  return Type{.kind = TypeKind::optional, .elements = {*value}};
}

}  // namespace

std::optional<Type> unify(const Type& a, const Type& b) {
  if (a == b) return a;
  if (a.is_array() && b.is_array()) return unify_arrays(a, b);
  if (a.is_scalar() && b.is_scalar()) return Type::scalar(promote(a.dtype, b.dtype));
  if (a.kind == TypeKind::list && b.kind == TypeKind::list) {
    Type joined{.kind = TypeKind::list};
    std::ranges::set_union(a.names, b.names, std::back_inserter(joined.names));
    return joined;
  }
  if (is_text(a) && is_text(b)) {
    const std::vector<std::string> first = texts_of(a), second = texts_of(b);
    Type joined{.kind = TypeKind::texts};
    std::ranges::set_union(first, second, std::back_inserter(joined.names));
    return joined;
  }
  if (may_be_none(a) || may_be_none(b)) return unify_optional(a, b);
  const bool lists = a.kind == TypeKind::tuple || a.kind == TypeKind::formatted || a.kind == TypeKind::record ||
                     a.kind == TypeKind::range;
  if (!lists || a.kind != b.kind || a.elements.size() != b.elements.size() || a.axes != b.axes) return {};
  Type joined = a;
  if (a.names != b.names) joined.names.clear();
  for (size_t k = 0; k < a.elements.size(); ++k) {
    const std::optional<Type> both = unify(a.elements[k], b.elements[k]);
    if (!both) return {};
    joined.elements[k] = *both;
  }
  return joined;
}

DType integer_dtype(DType a, DType b) {
  return is_unsigned_integer(a) && is_unsigned_integer(b) ? DType::uint64 : DType::int64;
}

DType arithmetic_dtype(DType a, DType b) {
  const DType both = promote(a, b);
  const auto is_whole = [](DType type) { return is_integer(type) || is_boolean(type); };
  if (is_boolean(both)) return DType::int64;
  return is_whole(a) && is_whole(b) ? integer_dtype(a, b) : both;
}

DType word_dtype(DType result) {
  const DType number = real_dtype(result);
  if (!is_floating(number)) return DType::int64;
  return number == DType::float64 ? DType::float64 : DType::float32;
}

}  // namespace tessera::kernel
