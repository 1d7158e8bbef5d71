#include "tessera/kernel/values/value_rules.h"

#include <array>
#include <utility>

#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"

namespace tessera::kernel {

std::span<const ValueRules* const> all_value_rules() {
  static constexpr std::array<const ValueRules*, 9> all{&object_rules,          &list_rules,      &table_rules,
                                                        &chosen_function_rules, &text_rules,      &character_rules,
                                                        &record_rules,          &generator_rules, &date_rules};
  return all;
}

const TypeRules* type_rules(const Type& type) {
  switch (type->kind) {
    case TypeKind::scalar: return type->unit ? &date_type : nullptr;
    case TypeKind::buffer:
    case TypeKind::array:
    case TypeKind::choice:
    case TypeKind::computed: return &array_type;
    case TypeKind::list: return &list_type;
    case TypeKind::dict:
    case TypeKind::set: return &table_type;
    case TypeKind::string:
    case TypeKind::formatted:
    case TypeKind::texts: return &text_type;
    case TypeKind::functions: return &function_type;
    case TypeKind::record: return &record_type;
    case TypeKind::generator: return &generator_type;
    case TypeKind::object: return &object_type;
    case TypeKind::entity:
      if (is_text(type)) return &text_type;
      return is_function_value(type) ? &function_type : nullptr;
    case TypeKind::none:
    case TypeKind::pointer:
    case TypeKind::tuple:
    case TypeKind::slice:
    case TypeKind::range:
    case TypeKind::optional: return nullptr;
  }
  std::unreachable();
}

}  // namespace tessera::kernel
