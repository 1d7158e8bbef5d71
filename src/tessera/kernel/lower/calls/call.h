/// Calls: builtins, functions, conversions, methods; and the order of their arguments.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// A call's arguments in the order of the parameters; what was left out has the type none.
struct Call {
  const Node& node;
  std::vector<Item> args;
  std::vector<bool> given = {};
};

/// The value of a call.
Item lower_call(Lowering& l, const Node& node);
/// The builtin, with these arguments before those of the node; `named` is how the source calls it.
Item call_builtin(Lowering& l, const Node& node, const std::string& named, const std::string& builtin,
                  const std::vector<Item>& first);
/// A function that is defined in this one.
Item local_function(Lowering& l, const Node& node);
/// Calls whatever the item stands for with these arguments.
Item call_with(Lowering& l, const Node& node, const Item& callee, const std::vector<Item>& arguments);
/// The arguments of the node in the order of the parameters, of which the first `needed` must be given.
Call arrange(Lowering& l, const Node& node, const std::string& callee, const std::vector<std::string>& parameters,
             size_t needed, const std::vector<Item>& positional);
/// The values of the positional arguments, those of unpacked tuples among them.
std::vector<Item> lower_positional(Lowering& l, const Node& call, bool may_be_none = false);
/// A list that was written, as the tuple of its elements in an index.
Item without_list(Lowering& l, const Node& node, const Item& item);
/// The arguments, with the default values of those that are left out.
std::vector<Item> with_defaults(Lowering& l, const Node& node, const Function& function, std::vector<Item> positional);

}  // namespace tessera::kernel
