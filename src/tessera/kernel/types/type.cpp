#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "tessera/base/format.h"
#include "tessera/base/hash.h"
#include "tessera/base/mutex.h"

namespace tessera::kernel {

namespace {

uint64_t hash_of(const Entity& entity) {
  Hash hash;
  hash.add(static_cast<uint64_t>(entity.kind)).add(entity.name);
  for (const auto byte : entity.value.bytes) hash.add(static_cast<uint64_t>(byte));
  return hash.add(reinterpret_cast<uintptr_t>(entity.function.get())).value();
}

uint64_t hash_of(const TypeParts& parts) {
  Hash hash;
  hash.add(static_cast<uint64_t>(parts.kind) << 56 | static_cast<uint64_t>(parts.dtype) << 48 |
           static_cast<uint64_t>(parts.axes) << 40 | parts.id);
  if (parts.unit) hash.add(uint64_t{parts.unit});
  for (const int axis : parts.kept) hash.add(static_cast<uint64_t>(axis));
  for (const int64_t extent : parts.extents) hash.add(static_cast<uint64_t>(extent));
  for (const Type& element : parts.elements) hash.add(hash_of(element));
  for (const std::string& name : parts.names) hash.add(name);
  for (const uint32_t place : parts.places) hash.add(place);
  if (parts.kind == TypeKind::entity) hash.add(hash_of(parts.entity));
  return hash.value();
}

/// Whether it keeps something alive that no more than types may hold.
bool holds(const TypeParts& parts) {
  const Entity& entity = parts.entity;
  return entity.function || entity.array || entity.host || entity.foreign || entity.overloads ||
         std::ranges::any_of(entity.elements, [](const Entity& one) { return holds({.entity = one}); }) ||
         std::ranges::any_of(parts.elements, [](const Type& one) { return holds(*one); });
}

/// Each type once. Those that hold something end with the last that is of the type, others never.
class TypeTable {
 public:
  std::shared_ptr<const TypeParts> find(const TypeParts& parts) {
    const uint64_t hash = hash_of(parts);
    const std::scoped_lock lock(mutex_);
    const auto [first, last] = types_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      if (!(*at->second.parts == parts)) continue;
      if (!at->second.is_held) return unheld(at->second.parts);
      if (std::shared_ptr<const TypeParts> held = at->second.held.lock()) return held;
    }
    const auto* made = new TypeParts(parts);
    if (!holds(parts)) return types_.emplace(hash, Entry{made, false, {}}), unheld(made);
    const std::shared_ptr<const TypeParts> held(made, [this, hash](const TypeParts* dead) { remove(hash, dead); });
    types_.emplace(hash, Entry{made, true, held});
    return held;
  }

 private:
  struct Entry {
    const TypeParts* parts;
    bool is_held;
    std::weak_ptr<const TypeParts> held;
  };

  static std::shared_ptr<const TypeParts> unheld(const TypeParts* parts) {
    return {std::shared_ptr<const TypeParts>(), parts};
  }
  void remove(uint64_t hash, const TypeParts* dead) {
    {
      const std::scoped_lock lock(mutex_);
      const auto [first, last] = types_.equal_range(hash);
      types_.erase(std::find_if(first, last, [&](const auto& one) { return one.second.parts == dead; }));
    }
    delete dead;  // what it holds may be of further types
  }

  Mutex mutex_;
  std::unordered_multimap<uint64_t, Entry> types_;
};

std::shared_ptr<const TypeParts> only(const TypeParts& parts) {
  static TypeTable& table = *new TypeTable;  // types outlive whatever ends with the process
  return table.find(parts);
}

std::vector<Type> all_scalars() {
  std::vector<Type> types;
  for (size_t dtype = 0; dtype < dtype_count; ++dtype)
    types.push_back(TypeParts{.kind = TypeKind::scalar, .dtype = static_cast<DType>(dtype)});
  return types;
}

}  // namespace

Type::Type() {
  static const std::shared_ptr<const TypeParts> none = only({});
  parts_ = none;
}

Type::Type(const TypeParts& parts) : parts_(only(parts)) {}

Type Type::scalar(DType dtype) {
  static const std::vector<Type>& types = *new std::vector<Type>(all_scalars());
  return types[static_cast<size_t>(dtype)];
}

Type Type::tuple(std::vector<Type> elements, std::vector<std::string> names) {
  return TypeParts{.kind = TypeKind::tuple, .elements = std::move(elements), .names = std::move(names)};
}

Type Type::of_entity(Entity entity) { return TypeParts{.kind = TypeKind::entity, .entity = std::move(entity)}; }

bool Type::is_dynamic() const {
  return parts_->kind == TypeKind::array && !parts_->is_constant && parts_->extents == std::vector<int64_t>{0};
}

namespace {

struct NumberedTypes {
  Mutex mutex;
  std::vector<Type> types;
};

NumberedTypes& numbered_types() {
  static NumberedTypes& table = *new NumberedTypes;
  return table;
}

}  // namespace

int64_t number_of_type(const Type& type) {
  NumberedTypes& table = numbered_types();
  const std::scoped_lock lock(table.mutex);
  const auto found = std::ranges::find(table.types, type);
  if (found != table.types.end()) return found - table.types.begin();
  table.types.push_back(type);
  return static_cast<int64_t>(table.types.size()) - 1;
}

Type type_of_number(int64_t number) {
  NumberedTypes& table = numbered_types();
  const std::scoped_lock lock(table.mutex);
  return table.types.at(static_cast<size_t>(number));
}

bool is_member(const Type& type) { return type.is_scalar() && !type->names.empty(); }
bool is_plain_member(const Type& type) { return is_member(type) && type->names[0].starts_with("enum#"); }

bool is_text(const Type& type) { return type->kind == TypeKind::texts || type.is_entity(EntityKind::text); }

bool is_function_value(const Type& type) {
  return type->kind == TypeKind::functions || type.is_entity(EntityKind::function) ||
         type.is_entity(EntityKind::builtin) || type.is_entity(EntityKind::host);
}

std::string describe_elements(const Type& type, std::string_view begin, std::string_view end) {
  std::string text(begin);
  for (size_t k = 0; k < type->elements.size(); ++k) {
    if (k) text += ", ";
    if (!type->names.empty()) text += type->names[k] + ": ";
    text += describe(type->elements[k]);
  }
  return text + std::string(end);
}

void append_word(const Type&, std::vector<DType>& dtypes) { dtypes.push_back(DType::int64); }

std::optional<Type> unify_containers(const Type& a, const Type& b) {
  if (a->kind != b->kind || a->names != b->names) return {};
  TypeParts joined{.kind = a->kind, .names = a->names};
  std::ranges::set_union(a->places, b->places, std::back_inserter(joined.places));
  return joined;
}

std::string describe(const Type& type) {
  if (const TypeRules* rules = type_rules(type)) return rules->describe(type);
  switch (type->kind) {
    case TypeKind::none: return "None";
    case TypeKind::scalar: return std::string(name(type->dtype));
    case TypeKind::pointer:
      return type->names.empty() ? format("address of {}", type->dtype) : std::string("address of void");
    case TypeKind::tuple: return describe_elements(type, "tuple(", ")");
    case TypeKind::slice: return "slice";
    case TypeKind::range: return "range";
    case TypeKind::optional: return describe_elements(type, "optional(", ")");
    default: break;
  }
  switch (type->entity.kind) {
    case EntityKind::foreign: return "function " + type->entity.foreign->function.name;
    case EntityKind::stencil: return "stencil " + type->entity.function->name();
    case EntityKind::dtype:
      if (type->entity.unit) return "type " + name_of_unit(type->entity.unit);
      return format("type {}", type->entity.value.dtype);
    case EntityKind::type: return "type " + describe(type_of_number(type->entity.value.as_int()));
    case EntityKind::ellipsis: return "...";
    case EntityKind::record: return "type of records";
    case EntityKind::class_: return "class " + type->entity.name;
    case EntityKind::named: return "type of named tuples";
    default: return type->entity.name;
  }
}

void append_scalars(const Type& type, std::vector<DType>& dtypes) {
  if (const TypeRules* rules = type_rules(type); rules && rules->append_scalars)
    return rules->append_scalars(type, dtypes);
  if (type.is_scalar()) dtypes.push_back(type->dtype);
  if (type->kind == TypeKind::pointer) dtypes.push_back(DType::int64);
  if (type->kind == TypeKind::optional) dtypes.push_back(DType::boolean);
  for (const Type& element : type->elements) append_scalars(element, dtypes);
}

Item held(const Item& optional) {
  return {optional.type->elements[0], {optional.values.begin() + 1, optional.values.end()}};
}

Item element(const Item& tuple, size_t k) {
  size_t first = 0;
  std::vector<DType> dtypes;
  for (size_t before = 0; before < k; ++before) append_scalars(tuple.type->elements[before], dtypes);
  first = dtypes.size();
  append_scalars(tuple.type->elements[k], dtypes);
  const auto begin = tuple.values.begin();
  return {tuple.type->elements[k], {begin + static_cast<int64_t>(first), begin + static_cast<int64_t>(dtypes.size())}};
}

Item joined_of(TypeParts parts, const std::vector<Item>& items) {
  std::vector<ir::Value> values;
  for (const Item& item : items) {
    parts.elements.push_back(item.type);
    values.insert(values.end(), item.values.begin(), item.values.end());
  }
  return {parts, std::move(values)};
}

Item tuple_of(const std::vector<Item>& items, const std::vector<std::string>& names) {
  return joined_of({.kind = TypeKind::tuple, .names = names}, items);
}

Type with_names(const Type& type, const std::vector<std::string>& names) {
  if (type->names == names) return type;
  TypeParts parts = *type;
  parts.names = names;
  return parts;
}

namespace {

/// Whether both are of one function, value or name, whoever asked what it is.
bool same_entity(const Entity& a, const Entity& b) {
  return a.kind == b.kind && a.name == b.name && a.value == b.value && a.unit == b.unit && a.function == b.function &&
         a.foreign == b.foreign && a.array == b.array && a.names == b.names &&
         std::ranges::equal(a.elements, b.elements, same_entity);
}

bool may_be_none(const Type& type) { return type->kind == TypeKind::none || type->kind == TypeKind::optional; }

std::optional<Type> unify_optional(const Type& a, const Type& b) {
  const auto inside = [](const Type& type) { return type->kind == TypeKind::optional ? type->elements[0] : type; };
  const Type x = inside(a), y = inside(b);
  const std::optional<Type> value = x->kind == TypeKind::none   ? std::optional(y)
                                    : y->kind == TypeKind::none ? std::optional(x)
                                                                : unify(x, y);
  if (!value) return {};
  return TypeParts{.kind = TypeKind::optional, .elements = {*value}};
}

}  // namespace

bool is_same_function(const Type& a, const Type& b) { return same_entity(a->entity, b->entity); }

std::optional<Type> unify(const Type& a, const Type& b) {
  if (a == b) return a;
  if (may_be_none(a) || may_be_none(b)) return unify_optional(a, b);
  if (a->kind == TypeKind::entity && b->kind == a->kind && is_same_function(a, b)) return a;
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (const TypeRules* rules = type_rules(*one); rules && rules->unify) return rules->unify(*one, *other);
  if (a.is_scalar() && b.is_scalar()) return Type::scalar(promote(a->dtype, b->dtype));
  const bool lists = a->kind == TypeKind::tuple || a->kind == TypeKind::formatted || a->kind == TypeKind::record ||
                     a->kind == TypeKind::range;
  if (a->is_dict != b->is_dict || (a->is_dict && a->names != b->names)) return {};
  if (!lists || a->kind != b->kind || a->elements.size() != b->elements.size() || a->axes != b->axes) return {};
  TypeParts joined = *a;
  if (a->names != b->names) joined.names.clear();
  if (a->id != b->id) joined.id = 0;
  for (size_t k = 0; k < a->elements.size(); ++k) {
    const std::optional<Type> both = unify(a->elements[k], b->elements[k]);
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
