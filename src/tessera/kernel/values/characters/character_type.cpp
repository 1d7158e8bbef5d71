#include "tessera/kernel/values/characters/character_type.h"

#include <charconv>

#include "tessera/base/format.h"

namespace tessera::kernel {

std::string CharacterType::name() const {
  return format("{}{}{}", is_bytes ? "|" : is_swapped ? ">" : "<", is_bytes ? "S" : "U", characters);
}

std::optional<CharacterType> character_type(std::string_view dtype) {
  CharacterType type;
  if (!dtype.empty() && (dtype[0] == '<' || dtype[0] == '>' || dtype[0] == '|' || dtype[0] == '=')) {
    type.is_swapped = dtype[0] == '>';
    dtype.remove_prefix(1);
  }
  if (dtype.empty() || (dtype[0] != 'S' && dtype[0] != 'U')) return {};
  type.is_bytes = dtype[0] == 'S';
  const char* end = dtype.data() + dtype.size();
  const auto [last, error] = std::from_chars(dtype.data() + 1, end, type.characters);
  if (error != std::errc() || last != end || type.characters <= 0) return {};
  return type;
}

bool holds_characters(const Type& bytes) { return bytes.is_bytes() && character_type(bytes->names[0]).has_value(); }

bool is_characters(const Type& type) {
  return type->kind == TypeKind::record && type->names.size() == 1 && type->names[0] == characters_field;
}

Item characters_over(const Item& bytes) {
  return joined_of({.kind = TypeKind::record, .axes = bytes.type->axes - 1, .names = {std::string(characters_field)}},
                   {bytes});
}

CharacterType character_type_of(const Type& characters) {
  return character_type(characters->elements.at(0)->names.at(0)).value();
}

Entity characters_entity(const CharacterType& type) {
  Entity bytes{.kind = EntityKind::dtype, .name = type.name()};
  bytes.value.dtype = DType::uint8;
  bytes.shape = {type.itemsize()};
  return {.kind = EntityKind::record, .elements = {bytes}, .names = {std::string(characters_field)}};
}

bool is_bytes_value(const Type& type) { return type->kind == TypeKind::string && !type->names.empty(); }

Type bytes_value_type(bool is_element) {
  TypeParts type{.kind = TypeKind::string, .names = {std::string(bytes_name)}};
  if (is_element) type.names.emplace_back(element_name);
  return type;
}

}  // namespace tessera::kernel
