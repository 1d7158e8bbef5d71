/// TypeRules: what a message calls a type, what its values are made of, what it and another unify to. The folders of
/// values/ say it for their own types.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/layout/dtype.h"

namespace tessera::kernel {

class Type;

/// Rules that are null are those of a tuple of the type's elements.
struct TypeRules {
  std::string (*describe)(const Type& type) = nullptr;
  void (*append_scalars)(const Type& type, std::vector<DType>& dtypes) = nullptr;
  /// The type of a variable that is assigned both, of which the first is such a type.
  std::optional<Type> (*unify)(const Type& a, const Type& b) = nullptr;
};

/// Those of the type's folder; null for what type.cpp knows itself.
const TypeRules* type_rules(const Type& type);

extern const TypeRules array_type, date_type, function_type, generator_type, list_type, object_type, record_type,
    table_type, text_type;

/// Of values that are one word, such as an address.
void append_word(const Type& type, std::vector<DType>& dtypes);
/// The type's elements with their names, between these.
std::string describe_elements(const Type& type, std::string_view begin, std::string_view end);
/// Of lists, dicts and sets: the container may be of the places of both.
std::optional<Type> unify_containers(const Type& a, const Type& b);

}  // namespace tessera::kernel
