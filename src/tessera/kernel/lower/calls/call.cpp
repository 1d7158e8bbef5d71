// Calls: of builtins, of types, of device functions.
#include "tessera/kernel/lower/calls/call.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/calls/function.h"
#include "tessera/kernel/lower/calls/overload.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/loops/loop.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/overloads.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/stencil.h"
#include "tessera/kernel/values/function/chosen_function.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

struct Parameters {
  std::vector<std::string> names;
  size_t needed = 0;
  bool any = false;
};

Parameters parameters_of(std::string_view text) {
  Parameters found;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (word == "*") {
      found.any = true;
    } else if (word.back() == '=') {
      found.names.push_back(word.substr(0, word.size() - 1));
    } else {
      found.names.push_back(word);
      ++found.needed;
    }
  }
  return found;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t k = 0; k < names.size(); ++k) text += (k ? ", " : "") + names[k];
  return text;
}

/// Whether the builtin has its own way with lists; others get arrays.
bool takes_lists(std::string_view name) {
  static constexpr std::array<std::string_view, 7> own{"cuda.literal_unroll", "builtins.print", "builtins.len",
                                                       "builtins.min",        "builtins.max",   "builtins.bool",
                                                       "builtins.isinstance"};
  return name.starts_with("list.") || name.starts_with("table.") || std::ranges::find(own, name) != own.end();
}

/// slice.indices: where it begins and ends in a sequence of some length, and its step.
Item call_indices(Lowering& l, const Node& node, const Item& slice) {
  const Item length = arrange(l, node, "indices", {"length"}, 1, lower_positional(l, node)).args[0];
  if (!length.type.is_scalar() || !is_integer(length.type->dtype))
    l.fail(node, format("indices of a sequence of length {}", describe(length.type)), "an integer");
  return call_library(l, node, "list.indices", {slice, length});
}

// A device function's arguments by parameter: default values and the tuple of further ones included.
std::vector<Item> arrange_for(Lowering& l, const Node& node, const Function& function) {
  return with_defaults(l, node, function, lower_positional(l, node, true));
}

/// The constant that a parameter's default value is.
Entity default_of(Lowering& l, const Node& value) {
  const Item item = l.lower_optional(value);
  if (const Scalar* known = l.constant_of(item)) return {.kind = EntityKind::constant, .value = *known};
  if (item.type->kind == TypeKind::none) return {.kind = EntityKind::nothing};
  if (item.type->kind == TypeKind::entity) return item.type->entity;
  l.refuse(value, format("a default value inside a function is {} that is not constant", describe(item.type)),
           "a constant, or an argument");
}

/// getattr and hasattr, of a name that is known while compiling.
Item lower_getattr(Lowering& l, const Node& node, std::string_view name) {
  ir::Builder& b = l.b;
  const bool only_asks = name == "hasattr";
  const size_t given = node.operands.size() - 1;
  if (!node.names.empty() || given < 2 || given > (only_asks ? 2 : 3))
    l.fail(node, format("{} takes an object and a name{}", name, only_asks ? "" : ", and what to give without"));
  const Item of = l.lower(node.operands[2]);
  if (!of.type.is_entity(EntityKind::text))
    l.fail(node.operands[2],
           format("the name of an attribute is {} that is not known while compiling", describe(of.type)),
           "a constant text");
  Node attribute{.kind = NodeKind::attribute, .place = node.place, .name = of.type->entity.name};
  attribute.operands.push_back(node.operands[1]);
  const std::optional<Entity> entity = entity_of(l, attribute);
  if (entity && entity->kind != EntityKind::missing)
    return only_asks ? l.scalar(b.constant(Scalar::of_bool(true))) : item_of(l, *entity, node);
  const Item object = entity ? Item{} : l.lower(node.operands[1]);
  const bool is_python = !entity && l.environment.has_member(object.type, attribute.name);
  const std::optional<Item> found = entity ? std::nullopt : attribute_of(l, attribute, object);
  if (only_asks) return l.scalar(b.constant(Scalar::of_bool(found || is_python)));
  if (found) return *found;
  if (is_python) l.refuse(node, format("{} of {} as a value", attribute.name, describe(object.type)), "a call of it");
  if (given == 3) return l.lower_optional(node.operands[3]);
  l.fail(node, format("{} has no attribute {}", describe(object.type), attribute.name),
         "a default, getattr(x, name, value)");
}

/// The type of a number, which converts to it, or a class of named tuples.
Item lower_type_of(Lowering& l, const Node& node) {
  if (node.operands.size() != 2 || !node.names.empty()) l.fail(node, "type takes one object");
  const Item object = l.lower(node.operands[1]);
  if (object.type.is_scalar()) {
    Entity entity{.kind = EntityKind::dtype};
    entity.value.dtype = object.type->dtype;
    return {Type::of_entity(entity), {}};
  }
  if (object.type->kind == TypeKind::tuple && !object.type->names.empty() && !object.type->is_dict)
    return {Type::of_entity({.kind = EntityKind::named, .names = object.type->names}), {}};
  l.refuse(node, format("the type of {}", describe(object.type)), "isinstance(x, ...)");
}

/// Whether the call's arguments are those of the builtin's parameters.
bool fits(const Node& node, std::string_view name, size_t first) {
  const Builtin* builtin = find_builtin(name);
  if (!builtin) return false;
  const Parameters parameters = parameters_of(builtin->parameters);
  if (parameters.any) return node.names.empty();
  const size_t given = node.operands.size() - 1 + first;
  const auto is_known = [&](const std::string& named) {
    return std::ranges::find(parameters.names, named) != parameters.names.end();
  };
  return given >= parameters.needed && given <= parameters.names.size() && std::ranges::all_of(node.names, is_known);
}

}  // namespace

Item without_list(Lowering& l, const Node& node, const Item& item) {
  return item.type->kind == TypeKind::list ? array_of_list(l, node, item) : item;
}

std::vector<Item> lower_positional(Lowering& l, const Node& call, bool may_be_none) {
  return lower_listed(l, std::span(call.operands).subspan(1, call.operands.size() - 1 - call.names.size()),
                      may_be_none);
}

Call arrange(Lowering& l, const Node& node, const std::string& callee, const std::vector<std::string>& parameters,
             size_t needed, const std::vector<Item>& positional) {
  const size_t named = node.names.size(), given = positional.size() + named;
  const std::string form = format("{}({})", callee, listed(parameters));
  if (given > parameters.size())
    l.fail(node, format("{} takes {} arguments, not {}", callee, parameters.size(), given), form);
  Call call{node, std::vector<Item>(parameters.size()), std::vector<bool>(parameters.size())};
  for (size_t k = 0; k < given; ++k) {
    const bool by_name = k >= positional.size();
    size_t to = k;
    if (by_name) {
      const std::string& name = node.names[k - positional.size()];
      to = static_cast<size_t>(std::ranges::find(parameters, name) - parameters.begin());
      if (to == parameters.size()) l.fail(node, format("{} has no parameter {}", callee, name), form);
    }
    if (call.given[to]) l.fail(node, format("{} gets {} twice", callee, parameters[to]), form);
    call.given[to] = true;
    call.args[to] = by_name ? l.lower(node.operands[node.operands.size() - given + k]) : positional[k];
  }
  for (size_t k = 0; k < needed; ++k) {
    if (!call.given[k]) l.fail(node, format("{} lacks {}", callee, parameters[k]), form);
  }
  return call;
}

std::vector<Item> with_defaults(Lowering& l, const Node& node, const Function& function, std::vector<Item> positional) {
  const std::vector<std::string>& names = function.tree.names;
  std::vector<Item> rest;
  const auto most = static_cast<size_t>(function.rest);
  if (function.rest >= 0 && positional.size() > most) {
    rest.assign(positional.begin() + function.rest, positional.end());
    positional.resize(most);
  }
  Call call = arrange(l, node, function.name(), names, 0, positional);
  for (size_t k = 0; k < names.size(); ++k) {
    if (static_cast<int>(k) == function.rest) {
      call.args[k] = tuple_of(rest);
    } else if (!call.given[k]) {
      const auto value = function.defaults.find(names[k]);
      if (value == function.defaults.end())
        l.fail(node, format("{} lacks {}", function.name(), names[k]),
               format("{}({})", function.name(), listed(names)));
      call.args[k] = item_of(l, value->second, node);
    }
  }
  return std::move(call.args);
}

// Methods have their object as the first argument.
Item call_builtin(Lowering& l, const Node& node, const std::string& named, const std::string& name,
                  const std::vector<Item>& first) {
  const Builtin* builtin = find_builtin(name);
  if (!builtin) l.refuse(node, format("{} is not part of kernels yet", name));
  const Parameters parameters = parameters_of(builtin->parameters);
  std::vector<Item> positional = first;
  for (Item& item : lower_positional(l, node, name == "list.append")) positional.push_back(std::move(item));
  Call call = parameters.any ? Call{node, std::move(positional)}
                             : arrange(l, node, named, parameters.names, parameters.needed, positional);
  if (const auto result = ask_values(&ValueRules::builtin, l, node, name, positional)) return *result;
  if (!takes_lists(name))
    for (Item& item : call.args) item = without_list(l, node, item);
  if (const auto result = ask_values(&ValueRules::builtin_of_arrays, l, *builtin, call)) return *result;
  if (!parameters.any) return builtin->lower(l, *builtin, call);
  if (!node.names.empty()) l.fail(node, format("{} takes no named arguments", named));
  if (call.args.empty() && name != "builtins.print" && !name.starts_with("numpy.random."))
    l.fail(node, format("{} without arguments", named));
  return builtin->lower(l, *builtin, call);
}

// A function that is defined in the current one, whose variables it reads when it is called.
Item local_function(Lowering& l, const Node& node) {
  const auto found = l.known->names.local.find(&node);
  std::shared_ptr<const Function> known = found == l.known->names.local.end() ? nullptr : found->second;
  if (!known) {
    Function made = l.frame->function;
    made.tree = node;
    made.defaults.clear();
    made.signatures.clear();
    made.rest = -1;
    made.inside = &l.frame->function;
    made.is_generator = yields(node);
    for (const Node& operand : node.operands) {
      const auto place = std::ranges::find(node.names, operand.name) - node.names.begin();
      const bool is_parameter = place < static_cast<int64_t>(node.names.size());
      if (operand.kind == NodeKind::part && is_parameter)
        made.defaults[operand.name] = default_of(l, operand.operands[0]);
      else if (operand.kind == NodeKind::starred && is_parameter)
        made.rest = static_cast<int>(place);
      else
        l.refuse(node, format("{} has ** or a decorator inside another function", node.name),
                 "plain parameters, or a function outside");
    }
    known = std::make_shared<const Function>(std::move(made));
    l.known.add().names.local[&node] = known;
  }
  return {Type::of_entity({.kind = EntityKind::function, .function = known}), {}};
}

/// A call of a function that is a value, with these arguments.
Item call_with(Lowering& l, const Node& node, const Item& callee, const std::vector<Item>& arguments) {
  const Entity& entity = callee.type->entity;
  Node bare = node;
  bare.operands.resize(1);
  bare.names.clear();
  if (entity.overloads) return lower_overloaded(l, bare, entity.name, entity, arguments);
  if (callee.type.is_entity(EntityKind::host))
    return l.host_calls.call_object(bare, entity.host, entity.name, arguments);
  if (callee.type->kind == TypeKind::functions) return call_chosen_with(l, node, callee, arguments);
  if (callee.type.is_entity(EntityKind::function)) {
    std::vector<Item> given = with_defaults(l, bare, *entity.function, arguments);
    for (Item& argument : given) argument = l.in_memory(node, argument);
    return call_function(l, node, *entity.function, given);
  }
  if (callee.type.is_entity(EntityKind::builtin)) return call_builtin(l, bare, entity.name, entity.name, arguments);
  if (callee.type.is_entity(EntityKind::dtype) && arguments.size() == 1 && arguments[0].type.is_scalar())
    return l.scalar(l.cast(arguments[0], entity.value.dtype));
  l.refuse(node, format("{} is called for each element", describe(callee.type)), "a function");
}

namespace {

/// A method's call; nothing where the callee is no method.
std::optional<Item> call_method(Lowering& l, const Node& node, const std::string& named) {
  const Node& callee = node.operands[0];
  const Item object = l.lower(callee.operands[0]);
  if (const std::optional<Item> result = overloaded_method(l, node, object, callee.name)) return *result;
  const bool is_mixed = is_written_list(object) && is_mixed_list(object.type);
  if (is_mixed && callee.name == "copy") return object;
  const bool is_plain_tuple = object.type->kind == TypeKind::tuple && (!object.type->is_list || is_mixed);
  if (is_plain_tuple && (callee.name == "index" || callee.name == "count"))
    return call_builtin(l, node, named, "tuple." + callee.name, {object});
  if (const std::optional<Item> result = ask_values(&ValueRules::method, l, node, object)) return result;
  if (object.type->kind == TypeKind::slice && callee.name == "indices") return call_indices(l, node, object);
  const std::string_view kind = object.type.is_array_like() ? "array." : object.type.is_scalar() ? "number." : "";
  const std::string method = std::string(kind) + callee.name;
  const bool fits_builtin = !kind.empty() && fits(node, method, 1);
  if (kind == "array." && l.options.is_function && !fits_builtin)
    if (const std::shared_ptr<const HostObject> host = l.environment.host_method(callee.name))
      return l.host_calls.call_object(node, host, method, {object});
  if (!kind.empty() && find_builtin(method)) return call_builtin(l, node, named, method, {object});
  if (object.type.is_entity(EntityKind::builtin))
    return call_builtin(l, node, named, format("{}.{}", object.type->entity.name, callee.name), {});
  return {};
}

/// Of Python's own functions those that need more than the values of their arguments.
std::optional<Item> call_special(Lowering& l, const Node& node, const std::string& named, const std::string& builtin) {
  if (const std::optional<Item> result = ask_values(&ValueRules::call, l, node, builtin)) return result;
  if (builtin == "builtins.getattr" || builtin == "builtins.hasattr") return lower_getattr(l, node, named);
  if (builtin == "builtins.type") return lower_type_of(l, node);
  if (builtin == "builtins.hash" && node.operands.size() == 2) {
    const Item object = l.lower(node.operands[1]);
    if (const auto result = ask_values(&ValueRules::builtin, l, node, builtin, std::vector{object})) return result;
    const bool is_whole = object.type.is_scalar() && (is_integer(object.type->dtype) || is_boolean(object.type->dtype));
    if (is_whole && object.type->unit) return l.scalar(object.values[0]);
    if (is_whole && !is_plain_member(object.type))
      return call_library(l, node, "iterator.hash", {l.scalar(l.cast(object, DType::int64))});
    l.refuse(node, format("hash of {}", describe(object.type)), "hash of an integer, or of an object with __hash__");
  }
  if (builtin == "builtins.iter") return lower_iter(l, node);
  if (builtin == "builtins.next") return lower_next(l, node);
  if (builtin == "builtins.len" && node.operands.size() == 2)
    if (const std::optional<Item> array = flat_array(l, {.operands = {node.operands[1]}}))
      return *attribute_of(l, {.kind = NodeKind::attribute, .place = node.place, .name = "size"}, *array);
  if (builtin == "builtins.range") return range_object(l, lower_range(l, node));
  return {};
}

Item make_named_tuple(Lowering& l, const Node& node, const std::string& named, const Entity& type) {
  const size_t needed = type.names.size() - type.elements.size();
  const Call call = arrange(l, node, named, type.names, needed, lower_positional(l, node));
  std::vector<Item> elements;
  for (size_t k = 0; k < call.args.size(); ++k)
    elements.push_back(call.given[k] ? l.in_memory(node, call.args[k]) : item_of(l, type.elements[k - needed], node));
  return tuple_of(elements, type.names);
}

Item convert_to(Lowering& l, const Node& node, const std::string& named, DType to) {
  Item value = arrange(l, node, named, {"x"}, 1, lower_positional(l, node)).args[0];
  if (value.type.is_array_like() && value.type->axes == 0) value = element_of(l, value, {});
  if (!value.type.is_scalar()) l.fail(node, format("{} of {}", to, describe(value.type)));
  if (is_complex(value.type->dtype) && !is_complex(to) && !is_boolean(to))
    l.fail(node, format("{} of a complex number", to), "its .real");
  return l.scalar(l.cast(value, to));
}

/// What the callee stands for outside of the function, if it does.
std::optional<Entity> outside_callee(Lowering& l, const Node& callee) {
  std::optional<Entity> global = entity_of(l, callee);
  if (!global || callee.kind != NodeKind::attribute) return global;
  const std::optional<Entity> owner = entity_of(l, callee.operands[0]);
  const bool is_served =
      owner && owner->kind == EntityKind::tuple && has_overloaded_method(l, item_of(l, *owner, callee), callee.name);
  if (is_served || (owner && owner->kind == EntityKind::array)) global.reset();  // a method of an object outside
  return global;
}

/// The call of a value of a package's own type; nothing for other values.
std::optional<Item> call_own(Lowering& l, const Node& node, const Item& called) {
  return is_own(called) ? overloaded_method(l, node, called, "__call__") : std::nullopt;
}

/// Whether an argument is an iterator that has no value of its own: `a.flat`, a generator expression.
bool has_unevaluated(const Node& call) {
  return std::any_of(call.operands.begin() + 1, call.operands.end(), [](const Node& argument) {
    return (argument.kind == NodeKind::attribute && argument.name == "flat") ||
           (argument.kind == NodeKind::comprehension && argument.name == "generator");
  });
}

}  // namespace

Item lower_call(Lowering& l, const Node& node) {
  const Node& callee = node.operands[0];
  const std::string named = dotted_name(callee).value_or("this");
  const std::optional<Entity> global = outside_callee(l, callee);
  if (!global && callee.kind == NodeKind::attribute)
    if (const std::optional<Item> result = call_method(l, node, named)) return *result;
  Entity entity;
  if (global) {
    entity = *global;
  } else {
    const Item called = l.lower(callee);
    if (const std::optional<Item> result = call_own(l, node, called)) return *result;
    if (const std::optional<Item> result = ask_values(&ValueRules::called, l, node, called)) return *result;
    entity = called.type->entity;
  }
  if (entity.kind == EntityKind::tuple)
    if (const std::optional<Item> result = call_own(l, node, item_of(l, entity, node))) return *result;
  // What only builtins take is no value that a function gets.
  const bool is_for_builtin = entity.kind == EntityKind::builtin && has_unevaluated(node);
  if (entity.overloads && !is_for_builtin) return lower_overloaded(l, node, named, entity);
  switch (entity.kind) {
    case EntityKind::builtin:
      if (const std::optional<Item> result = call_special(l, node, named, entity.name)) return *result;
      if (entity.host && l.options.is_function && !fits(node, entity.name, 0))
        return l.host_calls.call_object(node, entity.host, named, {});
      return call_builtin(l, node, named, entity.name, {});
    case EntityKind::host: return l.host_calls.call_object(node, entity.host, named, {});
    case EntityKind::foreign: return l.host_calls.call_foreign(node, entity.foreign);
    case EntityKind::class_: return *ask_values(&ValueRules::called, l, node, Item{Type::of_entity(entity), {}});
    case EntityKind::named: return make_named_tuple(l, node, named, entity);
    case EntityKind::record: l.refuse(node, "records are not made in kernels", "an array of them, and its fields");
    case EntityKind::dtype: return convert_to(l, node, named, entity.value.dtype);
    case EntityKind::function: {
      std::vector<Item> arguments = arrange_for(l, node, *entity.function);
      for (Item& argument : arguments) argument = l.in_memory(node, argument);
      return call_function(l, node, *entity.function, arguments);
    }
    case EntityKind::stencil: return lower_stencil(l, node, entity);
    case EntityKind::missing: l.fail(callee, format("there is no {}", named));
    case EntityKind::other:
      l.refuse(callee, format("{} is not part of kernels", entity.name),
               "a function with @cuda.jit(device=True), or one of math, numpy or cuda");
    default: l.fail(callee, format("{} is called, but it is no function", named));
  }
}

}  // namespace tessera::kernel
