#include "tessera/kernel/type.h"

#include "tessera/base/format.h"

namespace tessera::kernel {

namespace {

bool same_entity(const Entity& a, const Entity& b) {
  return a.kind == b.kind && a.name == b.name && a.value == b.value && a.function == b.function;
}

}  // namespace

bool operator==(const Type& a, const Type& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.id == b.id && a.extents == b.extents && a.elements == b.elements &&
         same_entity(a.entity, b.entity);
}

std::string describe(const Type& type) {
  switch (type.kind) {
    case TypeKind::none: return "None";
    case TypeKind::scalar: return std::string(name(type.dtype));
    case TypeKind::buffer:
    case TypeKind::array: return format("array({}, {}d)", type.dtype, type.axes);
    case TypeKind::tuple: {
      std::string text = "tuple(";
      for (size_t k = 0; k < type.elements.size(); ++k) text += (k ? ", " : "") + describe(type.elements[k]);
      return text + ")";
    }
    case TypeKind::entity: break;
  }
  switch (type.entity.kind) {
    case EntityKind::builtin: return "function " + type.entity.name;
    case EntityKind::function: return "device function " + type.entity.function->name();
    case EntityKind::dtype: return format("type {}", type.entity.value.dtype);
    case EntityKind::text: return "str";
    default: return type.entity.name;
  }
}

void append_scalars(const Type& type, std::vector<DType>& dtypes) {
  if (type.is_scalar()) dtypes.push_back(type.dtype);
  for (const Type& element : type.elements) append_scalars(element, dtypes);
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

std::optional<Type> unify(const Type& a, const Type& b) {
  if (a == b) return a;
  if (a.is_scalar() && b.is_scalar()) return Type::scalar(promote(a.dtype, b.dtype));
  if (a.kind != TypeKind::tuple || b.kind != TypeKind::tuple || a.elements.size() != b.elements.size()) return {};
  std::vector<Type> elements;
  for (size_t k = 0; k < a.elements.size(); ++k) {
    const std::optional<Type> both = unify(a.elements[k], b.elements[k]);
    if (!both) return {};
    elements.push_back(*both);
  }
  return Type::tuple(std::move(elements));
}

DType integer_dtype(DType a, DType b) {
  return is_unsigned_integer(a) && is_unsigned_integer(b) ? DType::uint64 : DType::int64;
}

DType arithmetic_dtype(DType a, DType b) {
  const DType both = promote(a, b);
  if (is_boolean(both)) return DType::int64;
  return is_integer(both) ? integer_dtype(a, b) : both;
}

}  // namespace tessera::kernel
