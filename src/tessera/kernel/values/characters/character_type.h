/// Arrays of texts and bytes of a fixed width, NumPy's U and S: records of one field, the bytes of their elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

/// The field's name, which no dtype of a program's has.
inline constexpr std::string_view characters_field = "characters'";
/// Names in the type of bytes in memory, which otherwise are as texts are; the second of elements of arrays.
inline constexpr std::string_view bytes_name = "bytes", element_name = "element";

/// A dtype such as "<U5" or "|S3".
struct CharacterType {
  bool is_bytes = false;
  bool is_swapped = false;
  int64_t characters = 0;

  int64_t width() const { return is_bytes ? 1 : 4; }
  int64_t itemsize() const { return characters * width(); }
  /// As NumPy writes it.
  std::string name() const;
};

/// As programs write it, too: "U5"; nothing for other dtypes, and where elements would have no characters.
std::optional<CharacterType> character_type(std::string_view dtype);
/// Whether an array's bytes are those of such texts.
bool holds_characters(const Type& bytes);
bool is_characters(const Type& type);
/// The array with these bytes as elements.
Item characters_over(const Item& bytes);
CharacterType character_type_of(const Type& characters);
/// Of `np.dtype("U5")`.
Entity characters_entity(const CharacterType& type);
/// Whether it is bytes in memory, not a text.
bool is_bytes_value(const Type& type);
Type bytes_value_type(bool is_element);

}  // namespace tessera::kernel
