// Types of dicts and sets.
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"

namespace tessera::kernel {

namespace {

/// A dict with the types of its keys and values, or a set.
std::string described_table(const Type& type) {
  std::string text = type->kind == TypeKind::dict ? "dict" : "set";
  if (!type->names.empty()) text = type->kind == TypeKind::dict ? "dict_" + type->names[0] : type->names[0];
  if (type->elements.empty()) return text;
  const std::vector<Type>& entry = type->elements[0]->elements;  // a hash first
  for (size_t k = 1; k < entry.size(); ++k) text += (k == 1 ? "(" : ", ") + describe(entry[k]);
  return text + ")";
}

}  // namespace

const TypeRules table_type{.describe = described_table, .append_scalars = append_word, .unify = unify_containers};

}  // namespace tessera::kernel
