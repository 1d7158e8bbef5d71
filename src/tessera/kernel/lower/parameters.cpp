#include "tessera/kernel/lower/parameters.h"

#include <algorithm>

#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

namespace {

/// Of numbers, and tuples and lists of them; nothing for types that say more than that.
std::optional<Type> value_type(const Type& type) {
  if (type->kind == TypeKind::none) return Type{};
  if (type.is_scalar() || type->kind == TypeKind::object) return type;
  if (type.is_entity(EntityKind::constant)) return Type::scalar(type->entity.value.dtype);
  if (type->kind == TypeKind::optional) return value_type(type->elements.at(0));
  if (type->kind != TypeKind::tuple && type->kind != TypeKind::list) return {};
  std::vector<Type> elements;
  for (const Type& element : type->elements) {
    const std::optional<Type> one = value_type(element);
    if (!one) return {};
    elements.push_back(*one);
  }
  return TypeParts{.kind = type->kind, .elements = std::move(elements), .names = type->names};
}

/// The type of elements of a list that is passed. Of arrays, whose memory is not theirs, Lowering completes it.
Type listed_type(const Type& type) {
  if (type.is_scalar() || type->kind == TypeKind::object) return type;
  TypeParts listed{.kind = type->kind, .dtype = type->dtype, .unit = type->unit, .axes = type->axes};
  for (const Type& element : type->elements) listed.elements.push_back(listed_type(element));
  if (type->kind != TypeKind::list) listed.names = type->names;
  return listed;
}

Item declare(ir::Builder& b, const Type& type) {
  switch (type->kind) {
    case TypeKind::optional: return declare(b, type->elements.at(0));  // of a call it is None or there
    case TypeKind::scalar: {
      const uint32_t param = b.add_scalar(type->dtype);
      return {type, {b.scalar(param)}};
    }
    case TypeKind::object:
    case TypeKind::pointer: return {type, {b.scalar(b.add_scalar(DType::int64))}};
    case TypeKind::buffer: {
      const ir::BufferParam param{.dtype = type->dtype, .ndim = static_cast<uint8_t>(type->axes), .writable = true};
      TypeParts array = *type;
      array.base_axes = type->axes;
      array.id = b.add_buffer(param);
      return {array, {}};
    }
    case TypeKind::tuple:
    case TypeKind::slice:
    case TypeKind::record: {
      std::vector<Item> items;
      for (const Type& element : type->elements) items.push_back(declare(b, element));
      return joined_of({.kind = type->kind, .id = type->id, .axes = type->axes, .names = type->names}, items);
    }
    case TypeKind::entity:
      if (type.is_entity(EntityKind::constant))
        return {Type::scalar(type->entity.value.dtype), {b.constant(type->entity.value)}};
      return {type, {}};
    case TypeKind::string: return {type, {b.scalar(b.add_scalar(DType::int64))}};
    case TypeKind::dict:
    case TypeKind::set:
    case TypeKind::list: return {with_elements(type, listed_type), {b.scalar(b.add_scalar(DType::int64))}};
    default: return {};
  }
}

/// The argument with the lists in it known.
Item with_lists(Lowering& lowering, const Item& item) {
  if (item.type.is_container()) return {lowering.lists.argument(item.type).type, item.values};
  if (item.type->kind != TypeKind::tuple) return item;
  std::vector<Item> elements;
  for (size_t k = 0; k < item.type->elements.size(); ++k) elements.push_back(with_lists(lowering, element(item, k)));
  return tuple_of(elements, item.type->names);
}

/// The argument as the signature has it; arrays are what they are.
Item declared_as(Lowering& lowering, const Item& item, const Type& type) {
  if (type->kind == TypeKind::scalar && item.type.is_scalar()) return lowering.convert(item, type);
  if (type->kind == TypeKind::optional)
    if (const std::optional<Type> value = value_type(type))
      return lowering.convert(item, TypeParts{.kind = TypeKind::optional, .elements = {*value}});
  if (type->kind != TypeKind::tuple || item.type->kind != TypeKind::tuple) return item;
  std::vector<Item> elements;
  for (size_t k = 0; k < type->elements.size(); ++k)
    elements.push_back(declared_as(lowering, element(item, k), type->elements[k]));
  return tuple_of(elements, item.type->names);
}

/// The argument that the kernel's scalar of this number is.
uint32_t argument_of(const Lowering& l, const Function& function, std::span<const Item> arguments, uint32_t scalar) {
  const auto is_it = [&](ir::Value value) {
    const ir::Instruction& i = l.b.kernel().instructions[value];
    return i.op == ir::Opcode::scalar && i.imm == scalar;
  };
  const auto found =
      std::ranges::find_if(arguments, [&](const Item& item) { return std::ranges::any_of(item.values, is_it); });
  if (found != arguments.end() && (found->type.is_scalar() || found->type->kind == TypeKind::slice))
    return static_cast<uint32_t>(found - arguments.begin());
  throw CompileError(Fault::typing, fault_message(function, function.tree.place,
                                                  "literally of an element of an argument", {}, "an argument"));
}

}  // namespace

std::vector<Item> declare_parameters(ir::Builder& b, std::span<const Type> types) {
  std::vector<Item> items;
  for (const Type& type : types) items.push_back(declare(b, type));
  return items;
}

void lower_function(Lowering& l, const Function& function, std::vector<Item> items, const Declared& declared) {
  const std::vector<Item> given = items;
  for (Item& item : items) item = with_lists(l, item);
  for (size_t k = 0; k < std::min(items.size(), declared.parameters.size()); ++k)
    items[k] = declared_as(l, items[k], declared.parameters[k]);
  const std::optional<Type> result = declared.result ? value_type(*declared.result) : std::nullopt;
  try {
    l.lower_kernel(function, items, result ? &*result : nullptr);
  } catch (const LiteralRequest& request) {
    throw LiteralRequest(argument_of(l, function, given, request.number()));
  }
}

}  // namespace tessera::kernel
