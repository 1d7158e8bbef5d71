// Calls that functions in Python serve, chosen by the types of arguments.
#include "tessera/kernel/lower/calls/overload.h"

#include <algorithm>

#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/calls/function.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/overloads.h"
#include "tessera/kernel/values/array/index.h"

namespace tessera::kernel {

namespace {

/// What the function for these arguments returns; nothing where no function is for them. Positional arguments are
/// lowered already, and those by name where `call` has them.
std::optional<Item> call_overload(Lowering& l, const Call& call, const std::string& named, const Overloads& overloads) {
  std::vector<Type> types;
  for (const Item& item : call.args) types.push_back(l.lists.resolved(item.type));
  // Choosers are told of the types, of constants' values, too.
  std::vector<Type> values = types;
  for (size_t k = 0; k < types.size(); ++k)
    if (const Scalar* known = types[k]->unit ? nullptr : l.constant_of(call.args[k]);
        known && (is_integer(known->dtype) || is_boolean(known->dtype)))
      values[k] = Type::of_entity({.kind = EntityKind::constant, .value = *known});
  std::string wrong;
  std::shared_ptr<const Function> function;
  try {
    function = overloads.find(types, values, call.given);
  } catch (const TypeError& error) {
    wrong = error.what();
  }
  if (!function && !wrong.empty()) l.fail(call.node, format("{}: {}", named, wrong));
  if (!function) return std::nullopt;
  const std::vector<std::string>& parameters = function->tree.names;
  const auto last = std::find(call.given.rbegin(), call.given.rend(), true);
  const size_t count = call.given.empty() ? call.args.size() : static_cast<size_t>(call.given.rend() - last);
  bool fits = function->rest >= 0 || count <= parameters.size();
  std::vector<Item> arguments;
  for (size_t k = 0; k < count && fits; ++k) {
    if (call.given.empty() || call.given[k]) {
      arguments.push_back(l.in_memory(call.node, call.args[k]));
      continue;
    }
    const auto value = function->defaults.find(parameters[k]);
    fits = value != function->defaults.end();
    if (fits) arguments.push_back(item_of(l, value->second, call.node));
  }
  if (!fits) l.fail(call.node, format("{}: the function for these types takes other arguments", named));
  Node bare = call.node;
  bare.operands.resize(1);
  bare.names.clear();
  return call_function(l, call.node, *function, with_defaults(l, bare, *function, std::move(arguments)));
}

/// The call's arguments as the functions' parameters have them; `first` stands before those of the node.
Call arrange_overload(Lowering& l, const Node& node, const std::string& named, const Overloads& overloads,
                      const std::vector<Item>& first) {
  std::vector<Item> positional = first;
  for (Item& item : lower_positional(l, node)) positional.push_back(std::move(item));
  if (!overloads.takes_rest()) return arrange(l, node, named, overloads.parameters(), overloads.needed(), positional);
  if (!node.names.empty()) l.fail(node, format("{} takes no arguments by name", named));
  return {node, std::move(positional)};
}

std::shared_ptr<const Overloads> overloads_of(Lowering& l, const Item& object, const std::string& name,
                                              bool is_attribute) {
  return l.environment.member(l.lists.resolved_if_known(object.type), name, is_attribute);
}

}  // namespace

Item lower_overloaded(Lowering& l, const Node& node, const std::string& named, const Entity& entity,
                      const std::vector<Item>& first) {
  const Call call = arrange_overload(l, node, named, *entity.overloads, first);
  // Of own types operators mean the same by any name.
  if (entity.name.starts_with("operator.") && node.names.empty() && std::ranges::any_of(call.args, is_own)) {
    Node bare = node;
    bare.operands.resize(1);
    return call_builtin(l, bare, named, entity.name, call.args);
  }
  if (const std::optional<Item> result = call_overload(l, call, named, *entity.overloads)) return *result;
  const bool is_plain = node.names.empty() && entity.kind == EntityKind::builtin;
  if (!is_plain) {
    std::string types;
    for (size_t k = 0; k < call.args.size(); ++k)
      if (k >= call.given.size() || call.given[k])
        types += format("{}{}", types.empty() ? "" : ", ", describe(call.args[k].type));
    l.fail(node, format("{} has no implementation for ({})", named, types), "a function that @overload finds for them");
  }
  std::vector<Item> given;
  for (size_t k = 0; k < call.args.size() && (k >= call.given.size() || call.given[k]); ++k)
    given.push_back(call.args[k]);
  Node bare = node;
  bare.operands.resize(1);
  return call_builtin(l, bare, named, entity.name, given);
}

std::optional<Item> overloaded_attribute(Lowering& l, const Node& node, const Item& object) {
  const std::shared_ptr<const Overloads> found = overloads_of(l, object, node.name, true);
  return found ? call_overload(l, {node, {object}, {true}}, node.name, *found) : std::nullopt;
}

std::optional<Item> overloaded_method(Lowering& l, const Node& node, const Item& object, const std::string& name) {
  const std::shared_ptr<const Overloads> found = overloads_of(l, object, name, false);
  if (!found) return std::nullopt;
  const Call call = arrange_overload(l, node, name, *found, {object});
  const std::optional<Item> result = call_overload(l, call, name, *found);
  if (!result) l.fail(node, format("{} has no implementation for these types", name));
  return result;
}

bool has_overloaded_method(Lowering& l, const Item& object, const std::string& name) {
  return is_own(object) && overloads_of(l, object, name, false);
}

bool is_own(const Item& item) {
  // tessera.functions.own_types names the first field so.
  return item.type->kind == TypeKind::tuple && !item.type->names.empty() &&
         item.type->names[0].starts_with("own'type ");
}

std::optional<Item> overloaded_operator(Lowering& l, const Node& node, const std::string& function,
                                        const std::vector<Item>& arguments) {
  const auto own = std::ranges::find_if(arguments, is_own);
  if (own == arguments.end()) return std::nullopt;
  const std::shared_ptr<const Overloads> found = l.environment.member(own->type, function, false);
  return found ? call_overload(l, {node, arguments}, function, *found) : std::nullopt;
}

Item own_special_method(Lowering& l, const Node& node, std::string_view name, const std::vector<Item>& arguments) {
  const std::string function(name.substr(2, name.size() - 4));
  auto result = overloaded_operator(l, node, "operator." + function, arguments);
  if (!result && function == "getitem")
    if (const auto array = overloaded_operator(l, node, "own.array", {arguments[0]})) {
      const Item part = subscript(l, node, *array, arguments[1]);
      result = part.type.is_array() ? overloaded_operator(l, node, "own.wrap", {arguments[0], part}) : part;
    }
  if (!result)
    l.fail(node, format("operator.{} has no implementation for {}", function, describe(arguments[0].type)),
           "a function that @overload finds for it");
  return *result;
}

}  // namespace tessera::kernel
