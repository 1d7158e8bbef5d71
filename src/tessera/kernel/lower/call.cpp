// Calls: of builtins, of types, of device functions.
#include <algorithm>
#include <array>
#include <sstream>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/overloads.h"

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
  return name.starts_with("list.") || std::ranges::find(own, name) != own.end();
}

}  // namespace

Item Lowering::without_list(const Node& node, const Item& item) {
  return item.type.kind == TypeKind::list ? array_of_list(node, item) : item;
}

Item Lowering::call_method_of_list(const Node& node, const Item& object) {
  const std::string method = "list." + node.operands[0].name;
  const Item list = list_of(node, object, "");
  if (find_builtin(method)) return call_builtin(node, method, method, {list});
  const std::shared_ptr<const Function> function = library_function(node, method);
  std::vector<Item> positional = lower_positional(node);
  positional.insert(positional.begin(), list);
  return call_function(node, *function, with_defaults(node, *function, positional));
}

/// slice.indices: where it begins and ends in a sequence of some length, and its step.
Item Lowering::call_indices(const Node& node, const Item& slice) {
  const Item length = arrange(node, "indices", {"length"}, 1, lower_positional(node)).args[0];
  if (!length.type.is_scalar() || !is_integer(length.type.dtype))
    fail(node, format("indices of a sequence of length {}", describe(length.type)), "an integer");
  return call_library(node, "list.indices", {slice, length});
}

std::vector<Item> Lowering::lower_positional(const Node& call, bool may_be_none) {
  return lower_listed(std::span(call.operands).subspan(1, call.operands.size() - 1 - call.names.size()), may_be_none);
}

Call Lowering::arrange(const Node& node, const std::string& callee, const std::vector<std::string>& parameters,
                       size_t needed, const std::vector<Item>& positional) {
  const size_t named = node.names.size(), given = positional.size() + named;
  const std::string form = format("{}({})", callee, listed(parameters));
  if (given > parameters.size())
    fail(node, format("{} takes {} arguments, not {}", callee, parameters.size(), given), form);
  Call call{node, std::vector<Item>(parameters.size()), std::vector<bool>(parameters.size())};
  for (size_t k = 0; k < given; ++k) {
    const bool by_name = k >= positional.size();
    size_t to = k;
    if (by_name) {
      const std::string& name = node.names[k - positional.size()];
      to = static_cast<size_t>(std::ranges::find(parameters, name) - parameters.begin());
      if (to == parameters.size()) fail(node, format("{} has no parameter {}", callee, name), form);
    }
    if (call.given[to]) fail(node, format("{} gets {} twice", callee, parameters[to]), form);
    call.given[to] = true;
    call.args[to] = by_name ? lower(node.operands[node.operands.size() - given + k]) : positional[k];
  }
  for (size_t k = 0; k < needed; ++k) {
    if (!call.given[k]) fail(node, format("{} lacks {}", callee, parameters[k]), form);
  }
  return call;
}

// A device function's arguments by parameter: default values and the tuple of further ones included.
std::vector<Item> Lowering::arrange_for(const Node& node, const Function& function) {
  return with_defaults(node, function, lower_positional(node, true));
}

std::vector<Item> Lowering::with_defaults(const Node& node, const Function& function, std::vector<Item> positional) {
  const std::vector<std::string>& names = function.tree.names;
  std::vector<Item> rest;
  const auto most = static_cast<size_t>(function.rest);
  if (function.rest >= 0 && positional.size() > most) {
    rest.assign(positional.begin() + function.rest, positional.end());
    positional.resize(most);
  }
  Call call = arrange(node, function.name(), names, 0, positional);
  for (size_t k = 0; k < names.size(); ++k) {
    if (static_cast<int>(k) == function.rest) {
      call.args[k] = tuple_of(rest);
    } else if (!call.given[k]) {
      const auto value = function.defaults.find(names[k]);
      if (value == function.defaults.end())
        fail(node, format("{} lacks {}", function.name(), names[k]), format("{}({})", function.name(), listed(names)));
      call.args[k] = item_of(value->second, node);
    }
  }
  return std::move(call.args);
}

// Methods have their object as the first argument.
Item Lowering::call_builtin(const Node& node, const std::string& named, const std::string& name,
                            const std::vector<Item>& first) {
  const Builtin* builtin = find_builtin(name);
  if (!builtin) refuse(node, format("{} is not part of kernels yet", name));
  const Parameters parameters = parameters_of(builtin->parameters);
  std::vector<Item> positional = first;
  for (Item& item : lower_positional(node)) positional.push_back(std::move(item));
  Call call = parameters.any ? Call{node, std::move(positional)}
                             : arrange(node, named, parameters.names, parameters.needed, positional);
  if (!takes_lists(name))
    for (Item& item : call.args) item = without_list(node, item);
  if (!parameters.any) return builtin->lower(*this, *builtin, call);
  if (!node.names.empty()) fail(node, format("{} takes no named arguments", named));
  if (call.args.empty() && name != "builtins.print" && !name.starts_with("numpy.random."))
    fail(node, format("{} without arguments", named));
  return builtin->lower(*this, *builtin, call);
}

/// The constant that a parameter's default value is.
Entity Lowering::default_of(const Node& value) {
  const Item item = lower_optional(value);
  if (const Scalar* known = constant_of(item)) return {.kind = EntityKind::constant, .value = *known};
  if (item.type.kind == TypeKind::none) return {.kind = EntityKind::nothing};
  if (item.type.kind == TypeKind::entity) return item.type.entity;
  refuse(value, format("a default value inside a function is {} that is not constant", describe(item.type)),
         "a constant, or an argument");
}

// A function that is defined in the current one, whose variables it reads when it is called.
Item Lowering::local_function(const Node& node) {
  std::shared_ptr<const Function>& known = known_.functions[&node];
  if (!known) {
    Function made = frame_->function;
    made.tree = node;
    made.defaults.clear();
    made.signatures.clear();
    made.rest = -1;
    made.inside = &frame_->function;
    for (const Node& operand : node.operands) {
      const auto place = std::ranges::find(node.names, operand.name) - node.names.begin();
      const bool is_parameter = place < static_cast<int64_t>(node.names.size());
      if (operand.kind == NodeKind::part && is_parameter)
        made.defaults[operand.name] = default_of(operand.operands[0]);
      else if (operand.kind == NodeKind::starred && is_parameter)
        made.rest = static_cast<int>(place);
      else
        refuse(node, format("{} has ** or a decorator inside another function", node.name),
               "plain parameters, or a function outside");
    }
    known = std::make_shared<const Function>(std::move(made));
  }
  return {{.kind = TypeKind::entity, .entity = {.kind = EntityKind::function, .function = known}}, {}};
}

/// getattr and hasattr, of a name that is known while compiling.
Item Lowering::lower_getattr(const Node& node, std::string_view name) {
  const bool only_asks = name == "hasattr";
  const size_t given = node.operands.size() - 1;
  if (!node.names.empty() || given < 2 || given > (only_asks ? 2 : 3))
    fail(node, format("{} takes an object and a name{}", name, only_asks ? "" : ", and what to give without"));
  const Item of = lower(node.operands[2]);
  if (!of.type.is_entity(EntityKind::text))
    fail(node.operands[2],
         format("the name of an attribute is {} that is not known while compiling", describe(of.type)),
         "a constant text");
  Node attribute{.kind = NodeKind::attribute, .place = node.place, .name = of.type.entity.name};
  attribute.operands.push_back(node.operands[1]);
  const std::optional<Entity> entity = entity_of(attribute);
  if (entity && entity->kind != EntityKind::missing)
    return only_asks ? scalar(b.constant(Scalar::of_bool(true))) : item_of(*entity, node);
  const Item object = entity ? Item{} : lower(node.operands[1]);
  const bool is_python = !entity && environment_.has_member(object.type, attribute.name);
  const std::optional<Item> found = entity ? std::nullopt : attribute_of(attribute, object);
  if (only_asks) return scalar(b.constant(Scalar::of_bool(found || is_python)));
  if (found) return *found;
  if (is_python) refuse(node, format("{} of {} as a value", attribute.name, describe(object.type)), "a call of it");
  if (given == 3) return lower_optional(node.operands[3]);
  fail(node, format("{} has no attribute {}", describe(object.type), attribute.name),
       "a default, getattr(x, name, value)");
}

/// The type of a number, which converts to it, or a class of named tuples.
Item Lowering::lower_type_of(const Node& node) {
  if (node.operands.size() != 2 || !node.names.empty()) fail(node, "type takes one object");
  const Item object = lower(node.operands[1]);
  if (object.type.is_scalar()) {
    Entity entity{.kind = EntityKind::dtype};
    entity.value.dtype = object.type.dtype;
    return {{.kind = TypeKind::entity, .entity = entity}, {}};
  }
  if (object.type.kind == TypeKind::tuple && !object.type.names.empty())
    return {{.kind = TypeKind::entity, .entity = {.kind = EntityKind::named, .names = object.type.names}}, {}};
  refuse(node, format("the type of {}", describe(object.type)), "isinstance(x, ...)");
}

/// Whether the call's arguments are those of the builtin's parameters.
bool Lowering::fits(const Node& node, std::string_view name, size_t first) const {
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

/// A call of a function that is a value, with these arguments.
Item Lowering::call_with(const Node& node, const Item& callee, const std::vector<Item>& arguments) {
  const Entity& entity = callee.type.entity;
  Node bare = node;
  bare.operands.resize(1);
  bare.names.clear();
  if (callee.type.is_entity(EntityKind::function)) {
    std::vector<Item> given = with_defaults(bare, *entity.function, arguments);
    for (Item& argument : given) argument = in_memory(node, argument);
    return call_function(node, *entity.function, given);
  }
  if (callee.type.is_entity(EntityKind::builtin)) return call_builtin(bare, entity.name, entity.name, arguments);
  if (callee.type.is_entity(EntityKind::dtype) && arguments.size() == 1 && arguments[0].type.is_scalar())
    return scalar(cast(arguments[0], entity.value.dtype));
  refuse(node, format("{} is called for each element", describe(callee.type)), "a function");
}

Item Lowering::lower_call(const Node& node) {
  const Node& callee = node.operands[0];
  const std::string named = dotted_name(callee).value_or("this");
  std::optional<Entity> global = entity_of(callee);
  if (global && callee.kind == NodeKind::attribute) {  // a method of an array outside
    const std::optional<Entity> owner = entity_of(callee.operands[0]);
    if (owner && owner->kind == EntityKind::array) global.reset();
  }
  if (!global && callee.kind == NodeKind::attribute) {
    const Item object = lower(callee.operands[0]);
    if (const std::optional<Item> result = overloaded_member(node, object, false)) return *result;
    const bool is_mixed = is_written_list(object) && is_mixed_list(object.type);
    if (is_mixed && callee.name == "copy") return object;
    const bool is_plain_tuple = object.type.kind == TypeKind::tuple && (!object.type.is_list || is_mixed);
    if (is_plain_tuple && (callee.name == "index" || callee.name == "count"))
      return call_builtin(node, named, "tuple." + callee.name, {object});
    if (is_list(object) && options_.is_function) return call_method_of_list(node, object);
    if (object.type.kind == TypeKind::record && callee.name == "copy" && node.operands.size() == 1 &&
        options_.is_function)
      return copy_records(node, object);
    if (object.type.kind == TypeKind::slice && callee.name == "indices") return call_indices(node, object);
    const std::string_view kind = object.type.is_array_like() ? "array." : object.type.is_scalar() ? "number." : "";
    const std::string method = std::string(kind) + callee.name;
    const bool fits_builtin = !kind.empty() && fits(node, method, 1);
    if (kind == "array." && options_.is_function && !fits_builtin)
      if (const std::shared_ptr<const HostObject> host = environment_.host_method(callee.name))
        return call_object(node, host, method, {object});
    if (!kind.empty() && find_builtin(method)) return call_builtin(node, named, method, {object});
    if (object.type.kind == TypeKind::entity && object.type.entity.kind == EntityKind::builtin)
      return call_builtin(node, named, format("{}.{}", object.type.entity.name, callee.name), {});
  }
  const Entity entity = global ? *global : lower(callee).type.entity;
  if (entity.overloads) return lower_overloaded(node, named, entity);
  switch (entity.kind) {
    case EntityKind::builtin:
      if (entity.name == "builtins.list") return lower_list_call(node);
      if (entity.name == "builtins.getattr" || entity.name == "builtins.hasattr") return lower_getattr(node, named);
      if (entity.name == "builtins.str" || entity.name == "builtins.repr") {
        if (node.operands.size() == 1 && entity.name == "builtins.str") return text_item("");
        const Call call = arrange(node, named, {"object"}, 1, lower_positional(node, true));
        return text_of_value(node, call.args[0], entity.name == "builtins.repr");
      }
      if (entity.name == "builtins.type") return lower_type_of(node);
      if (entity.name == "builtins.iter") return lower_iter(node);
      if (entity.name == "builtins.next") return lower_next(node);
      if (entity.name == "builtins.len" && node.operands.size() == 2)
        if (const std::optional<Item> array = flat_array({.operands = {node.operands[1]}}))
          return *attribute_of({.kind = NodeKind::attribute, .place = node.place, .name = "size"}, *array);
      if (entity.name == "builtins.range") return range_object(lower_range(node));
      if (entity.name == "builtins.sorted") {
        const std::shared_ptr<const Function> sort = library_function(node, "list.sorted");
        return call_function(node, *sort, with_defaults(node, *sort, {lower_list_call(node)}));
      }
      if (entity.host && options_.is_function && !fits(node, entity.name, 0))
        return call_object(node, entity.host, named, {});
      return call_builtin(node, named, entity.name, {});
    case EntityKind::host: return call_object(node, entity.host, named, {});
    case EntityKind::foreign: return call_foreign(node, entity.foreign);
    case EntityKind::named: {
      const size_t needed = entity.names.size() - entity.elements.size();
      const Call call = arrange(node, named, entity.names, needed, lower_positional(node));
      std::vector<Item> elements;
      for (size_t k = 0; k < call.args.size(); ++k)
        elements.push_back(call.given[k] ? in_memory(node, call.args[k]) : item_of(entity.elements[k - needed], node));
      Item tuple = tuple_of(elements);
      tuple.type.names = entity.names;
      return tuple;
    }
    case EntityKind::record: refuse(node, "records are not made in kernels", "an array of them, and its fields");
    case EntityKind::dtype: {
      Item value = arrange(node, named, {"x"}, 1, lower_positional(node)).args[0];
      if (value.type.is_array_like() && value.type.axes == 0) value = element_of(value, {});
      const DType to = entity.value.dtype;
      if (!value.type.is_scalar()) fail(node, format("{} of {}", to, describe(value.type)));
      if (is_complex(value.type.dtype) && !is_complex(to) && !is_boolean(to))
        fail(node, format("{} of a complex number", to), "its .real");
      return scalar(cast(value, to));
    }
    case EntityKind::function: {
      std::vector<Item> arguments = arrange_for(node, *entity.function);
      for (Item& argument : arguments) argument = in_memory(node, argument);
      return call_function(node, *entity.function, arguments);
    }
    case EntityKind::stencil: return lower_stencil(node, entity);
    case EntityKind::missing: fail(callee, format("there is no {}", named));
    case EntityKind::other:
      refuse(callee, format("{} is not part of kernels", entity.name),
             "a function with @cuda.jit(device=True), or one of math, numpy or cuda");
    default: fail(callee, format("{} is called, but it is no function", named));
  }
}

}  // namespace tessera::kernel
