// Types of lists: the places where they may have been made.
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"

namespace tessera::kernel {

namespace {

std::string describe_list(const Type& type) {
  return type->elements.empty() ? "list" : describe_elements(type, "list(", ")");
}

}  // namespace

const TypeRules list_type{.describe = describe_list, .append_scalars = append_word, .unify = unify_containers};

}  // namespace tessera::kernel
