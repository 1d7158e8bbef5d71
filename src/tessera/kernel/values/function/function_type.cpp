// Types of functions that are values: one, or one of several that is chosen at run time.
#include <algorithm>
#include <tuple>

#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"

namespace tessera::kernel {

std::vector<Type> functions_of(const Type& type) {
  return type->kind == TypeKind::functions ? type->elements : std::vector{type};
}

namespace {

/// In one order, whichever was assigned first.
bool precedes_as_function(const Type& a, const Type& b) {
  const auto key = [](const Entity& one) {
    const Function* function = one.function.get();
    return std::tuple(one.kind, function ? function->name() : one.name, function ? function->file : std::string(),
                      function ? function->first_line : 0, reinterpret_cast<uintptr_t>(function),
                      reinterpret_cast<uintptr_t>(one.host.get()));
  };
  return key(a->entity) < key(b->entity);
}

}  // namespace

Type type_of_functions(std::vector<Type> functions) {
  std::ranges::sort(functions, precedes_as_function);
  return TypeParts{.kind = TypeKind::functions, .elements = std::move(functions)};
}

namespace {

std::string describe_function(const Type& type) {
  if (type->kind == TypeKind::functions) return describe_elements(type, "one of (", ")");
  const Entity& entity = type->entity;
  return entity.kind == EntityKind::function ? "device function " + entity.function->name() : "function " + entity.name;
}

void append_function(const Type& type, std::vector<DType>& dtypes) {
  if (type->kind == TypeKind::functions) append_word(type, dtypes);
}

std::optional<Type> unify_functions(const Type& a, const Type& b) {
  if (!is_function_value(a) || !is_function_value(b)) return {};
  std::vector<Type> all = functions_of(a);
  for (const Type& other : functions_of(b))
    if (std::ranges::none_of(all, [&](const Type& one) { return is_same_function(one, other); })) all.push_back(other);
  return type_of_functions(std::move(all));
}

}  // namespace

const TypeRules function_type{
    .describe = describe_function, .append_scalars = append_function, .unify = unify_functions};

}  // namespace tessera::kernel
