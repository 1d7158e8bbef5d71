// Functions that are chosen at run time: a value is the number of one of those that its type lists, and a call a branch
// for each of them.
#include "tessera/kernel/values/function/chosen_function.h"

#include <algorithm>
#include <utility>

#include "tessera/kernel/host_routines.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

constexpr size_t most_functions = 256;

/// What tells a function from others at the same place of the source.
int64_t mark_of(const Entity& entity) {
  if (entity.function) return static_cast<int64_t>(reinterpret_cast<intptr_t>(entity.function.get()));
  return -1 - static_cast<int64_t>(intern_text(entity.name));
}

/// The call of one of the functions from this number on.
Item call_from(Lowering& l, const Node& node, const Item& callee, size_t k, const std::vector<Item>& arguments) {
  const std::vector<Type>& functions = callee.type->elements;
  const auto one = [&] {
    const Apart apart(l, node, mark_of(functions[k]->entity));
    return l.in_memory(node, call_with(l, node, {functions[k], {}}, arguments));
  };
  if (k + 1 == functions.size()) return one();
  const auto others = [&] {
    const Apart apart(l, node, mark_of(functions[k]->entity));
    return call_from(l, node, callee, k + 1, arguments);
  };
  const ir::Value is_this = l.b.eq(callee.values[0], l.number(static_cast<int64_t>(k)));
  return choose(l, node, is_this, one, others, false);
}

int64_t place_of(const std::vector<Type>& functions, const Type& function) {
  const auto same = [&](const Type& one) { return is_same_function(one, function); };
  return std::ranges::find_if(functions, same) - functions.begin();
}

/// The number of the function among `all`; those that are not in it are none.
ir::Value number_in(Lowering& l, const Item& item, const std::vector<Type>& all) {
  const std::vector<Type> from = functions_of(item.type);
  ir::Value which = l.number(place_of(all, from[0]));
  for (size_t k = 1; k < from.size(); ++k)
    which =
        l.b.select(l.b.eq(item.values[0], l.number(static_cast<int64_t>(k))), l.number(place_of(all, from[k])), which);
  return which;
}

Type typed_function(Lowering& l, const Type& type, const std::shared_ptr<const Signature>& signature) {
  if (!type.is_entity(EntityKind::function)) return type;
  const std::pair<const Function*, const Signature*> key(type->entity.function.get(), signature.get());
  auto known = l.known->names.typed.find(key);
  if (known == l.known->names.typed.end()) {
    auto made = std::make_shared<Function>(*type->entity.function);
    made->signatures = {*signature};
    known = l.known.add().names.typed.emplace(key, std::move(made)).first;
  }
  Entity entity = type->entity;
  entity.function = known->second;
  return Type::of_entity(std::move(entity));
}

}  // namespace

Item with_signature(Lowering& l, const Item& item, const std::shared_ptr<const Signature>& signature) {
  if (item.type->kind == TypeKind::entity) return {typed_function(l, item.type, signature), {}};
  std::vector<Type> typed;
  for (const Type& function : item.type->elements) typed.push_back(typed_function(l, function, signature));
  const Type type = type_of_functions(typed);
  ir::Value which = l.number(place_of(type->elements, typed[0]));
  for (size_t k = 1; k < typed.size(); ++k)
    which = l.b.select(l.b.eq(item.values[0], l.number(static_cast<int64_t>(k))),
                       l.number(place_of(type->elements, typed[k])), which);
  return {type, {which}};
}

Item call_chosen_with(Lowering& l, const Node& node, const Item& callee, const std::vector<Item>& arguments) {
  if (callee.type->elements.size() > most_functions)
    l.refuse(node, format("a call of one of more than {} functions", most_functions), "fewer that a variable may be");
  return call_from(l, node, callee, 0, arguments);
}

namespace {

/// A function as one of those of a type.
std::optional<Item> convert_function(Lowering& l, const Item& item, const Type& type) {
  if (type->kind != TypeKind::functions) return {};
  return is_function_value(item.type) ? Item{type, {number_in(l, item, type->elements)}} : l.zero(type);
}

/// The call of the one that is chosen.
std::optional<Item> call_chosen(Lowering& l, const Node& node, const Item& callee) {
  if (callee.type->kind != TypeKind::functions) return {};
  if (!node.names.empty())
    l.refuse(node,
             "first-class function call cannot use keyword arguments: which function is called is known at run time",
             "arguments by place");
  std::vector<Item> arguments = lower_positional(l, node, true);
  for (Item& argument : arguments) argument = l.in_memory(node, argument);
  return call_chosen_with(l, node, callee, arguments);
}

/// Whether two functions are the same; nothing for other values and operators.
std::optional<ir::Value> compare_functions(Lowering& l, const Node&, std::string_view op, const Item& left,
                                           const Item& right) {
  if (!is_function_value(left.type) || !is_function_value(right.type)) return {};
  const bool wants_same = op == "==" || op == "is";
  if (!wants_same && op != "!=" && op != "is not") return {};
  const Type both = *unify(left.type, right.type);
  const std::vector<Type> all = functions_of(both);
  const ir::Value same = l.b.eq(number_in(l, left, all), number_in(l, right, all));
  return wants_same ? same : l.b.bit_not(same);
}

std::optional<ir::Value> truth_of_function(Lowering& l, const Node&, const Item& item) {
  return is_function_value(item.type) ? std::optional(l.b.constant(Scalar::of_bool(true))) : std::nullopt;
}

}  // namespace

const ValueRules chosen_function_rules{
    .truth = truth_of_function, .compare = compare_functions, .called = call_chosen, .convert = convert_function};

}  // namespace tessera::kernel
