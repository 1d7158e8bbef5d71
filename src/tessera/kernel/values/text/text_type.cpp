// Types of texts: one that is known, one of several, in memory, or made of texts and numbers by the host.
#include <algorithm>
#include <iterator>

#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"

namespace tessera::kernel {

std::vector<std::string> texts_of(const Type& type) {
  return type->kind == TypeKind::texts ? type->names : std::vector{type->entity.name};
}

namespace {

bool is_bytes(const Type& type) { return type->kind == TypeKind::string && !type->names.empty(); }

std::string describe_text(const Type& type) { return is_bytes(type) ? "bytes" : "str"; }

/// Of one that is known nothing, of one that the host makes what it is made of.
void append_text(const Type& type, std::vector<DType>& dtypes) {
  if (type->kind == TypeKind::texts || type->kind == TypeKind::string) append_word(type, dtypes);
  for (const Type& element : type->elements) append_scalars(element, dtypes);
}

std::optional<Type> unify_formatted(const Type& a, const Type& b) {
  if (a->kind != b->kind || a->elements.size() != b->elements.size()) return {};
  TypeParts joined = *a;
  for (size_t k = 0; k < a->elements.size(); ++k) {
    const std::optional<Type> both = unify(a->elements[k], b->elements[k]);
    if (!both) return {};
    joined.elements[k] = *both;
  }
  return joined;
}

std::optional<Type> unify_texts(const Type& a, const Type& b) {
  if (is_text(a) && is_text(b)) {
    const std::vector<std::string> first = texts_of(a), second = texts_of(b);
    TypeParts joined{.kind = TypeKind::texts};
    std::ranges::set_union(first, second, std::back_inserter(joined.names));
    return joined;
  }
  const auto is_one = [](const Type& type) { return is_text(type) || type->kind == TypeKind::string; };
  if (!is_one(a) || !is_one(b)) return unify_formatted(a, b);
  if (is_bytes(a) != is_bytes(b)) return {};
  TypeParts string{.kind = TypeKind::string};
  if (is_bytes(a)) string.names = {a->names[0]};
  return string;
}

}  // namespace

const TypeRules text_type{.describe = describe_text, .append_scalars = append_text, .unify = unify_texts};

}  // namespace tessera::kernel
