#include "tessera/kernel/values/value_rules.h"

#include <array>

namespace tessera::kernel {

std::span<const ValueRules* const> all_value_rules() {
  static constexpr std::array<const ValueRules*, 9> all{&object_rules,          &list_rules,      &table_rules,
                                                        &chosen_function_rules, &text_rules,      &character_rules,
                                                        &record_rules,          &generator_rules, &date_rules};
  return all;
}

}  // namespace tessera::kernel
