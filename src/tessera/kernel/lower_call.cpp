// Calls: of builtins, of types, of device functions.
#include <algorithm>
#include <array>
#include <sstream>

#include "tessera/kernel/builtins.h"
#include "tessera/kernel/lowering.h"

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
  static constexpr std::array<std::string_view, 5> own{"builtins.len", "builtins.min", "builtins.max", "builtins.bool",
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

// A function that is defined in the current one, whose variables it reads when it is called.
Item Lowering::local_function(const Node& node) {
  if (!node.operands.empty())
    refuse(node, format("{} has default values, * or a decorator inside a kernel", node.name), "plain parameters");
  std::shared_ptr<const Function>& known = known_.functions[&node];
  if (!known) {
    Function made = frame_->function;
    made.tree = node;
    made.defaults.clear();
    made.rest = -1;
    made.inside = &frame_->function;
    known = std::make_shared<const Function>(std::move(made));
  }
  return {{.kind = TypeKind::entity, .entity = {.kind = EntityKind::function, .function = known}}, {}};
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

Item Lowering::lower_call(const Node& node) {
  const Node& callee = node.operands[0];
  const std::string named = dotted_name(callee).value_or("this");
  const std::optional<Entity> global = entity_of(callee);
  if (!global && callee.kind == NodeKind::attribute) {
    const Item object = lower(callee.operands[0]);
    if (const std::optional<Item> result = overloaded_member(node, object, false)) return *result;
    if (is_list(object) && options_.is_function) return call_method_of_list(node, object);
    const std::string_view kind = object.type.is_array_like() ? "array." : object.type.is_scalar() ? "number." : "";
    const std::string method = std::string(kind) + callee.name;
    const bool fits_builtin = !kind.empty() && fits(node, method, 1);
    if (kind == "array." && options_.is_function && !fits_builtin)
      if (const std::shared_ptr<const HostObject> host = find_host_method(callee.name))
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
      const Item value = arrange(node, named, {"x"}, 1, lower_positional(node)).args[0];
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
