// Calls: of builtins, of types, of device functions.
#include <algorithm>
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

}  // namespace

Call Lowering::arrange(const Node& node, const std::string& callee, const std::vector<std::string>& parameters,
                       size_t needed) {
  const size_t given = node.operands.size() - 1, named = node.names.size();
  const std::string form = format("{}({})", callee, listed(parameters));
  if (given > parameters.size())
    fail(node, format("{} takes {} arguments, not {}", callee, parameters.size(), given), form);
  Call call{node, std::vector<Item>(parameters.size())};
  std::vector<bool> filled(parameters.size());
  for (size_t k = 0; k < given; ++k) {
    size_t to = k;
    if (k >= given - named) {
      const std::string& name = node.names[k - (given - named)];
      to = static_cast<size_t>(std::ranges::find(parameters, name) - parameters.begin());
      if (to == parameters.size()) fail(node, format("{} has no parameter {}", callee, name), form);
    }
    if (filled[to]) fail(node, format("{} gets {} twice", callee, parameters[to]), form);
    filled[to] = true;
    call.args[to] = lower(node.operands[k + 1]);
  }
  for (size_t k = 0; k < needed; ++k) {
    if (!filled[k]) fail(node, format("{} lacks {}", callee, parameters[k]), form);
  }
  return call;
}

Item Lowering::lower_call(const Node& node) {
  const Node& callee = node.operands[0];
  const std::string named = dotted_name(callee).value_or("this");
  const std::optional<Entity> global = entity_of(callee);
  const Entity entity = global ? *global : lower(callee).type.entity;
  switch (entity.kind) {
    case EntityKind::builtin: {
      const Builtin* builtin = find_builtin(entity.name);
      if (!builtin) refuse(node, format("{} is not part of kernels yet", entity.name));
      const Parameters parameters = parameters_of(builtin->parameters);
      if (!parameters.any)
        return builtin->lower(*this, *builtin, arrange(node, named, parameters.names, parameters.needed));
      if (!node.names.empty()) fail(node, format("{} takes no named arguments", named));
      Call call{node, {}};
      for (size_t k = 1; k < node.operands.size(); ++k) call.args.push_back(lower(node.operands[k]));
      if (call.args.empty()) fail(node, format("{} without arguments", named));
      return builtin->lower(*this, *builtin, call);
    }
    case EntityKind::dtype: {
      const Item value = arrange(node, named, {"x"}, 1).args[0];
      const DType to = entity.value.dtype;
      if (!value.type.is_scalar()) fail(node, format("{} of {}", to, describe(value.type)));
      if (is_complex(value.type.dtype) && !is_complex(to) && !is_boolean(to))
        fail(node, format("{} of a complex number", to), "its .real");
      return scalar(cast(value, to));
    }
    case EntityKind::function: {
      const Function& function = *entity.function;
      return call_function(node, function,
                           arrange(node, function.name(), function.tree.names, function.tree.names.size()).args);
    }
    case EntityKind::missing: fail(callee, format("there is no {}", named));
    case EntityKind::other:
      refuse(callee, format("{} is not part of kernels", entity.name),
             "a function with @cuda.jit(device=True), or one of math, numpy or cuda");
    default: fail(callee, format("{} is called, but it is no function", named));
  }
}

}  // namespace tessera::kernel
