/// Calls and members that the user's overloads serve.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// The call of what the user has overloads of; `first` stands before the arguments of the node.
Item lower_overloaded(Lowering& l, const Node& node, const std::string& named, const Entity& entity,
                      const std::vector<Item>& first = {});
/// An attribute that an overload serves; nothing where none does.
std::optional<Item> overloaded_attribute(Lowering& l, const Node& node, const Item& object);
/// The call of an object's method that an overload serves, `__call__` where the object itself is called; nothing where
/// none does.
std::optional<Item> overloaded_method(Lowering& l, const Node& node, const Item& object, const std::string& name);
/// Whether it is a value of a package's own type of which an overload serves this method.
bool has_overloaded_method(Lowering& l, const Item& object, const std::string& name);
/// Whether it is a value of a type of a package's own, which is the tuple of its members.
bool is_own(const Item& item);
/// What an overload of a function such as "operator.add" gives, where an argument is of a package's own type; nothing
/// where none is or no overload serves them.
std::optional<Item> overloaded_operator(Lowering& l, const Node& node, const std::string& function,
                                        const std::vector<Item>& arguments);
/// What the function of `operator` that a method such as "__getitem__" stands for gives, of a value of such a type.
Item own_special_method(Lowering& l, const Node& node, std::string_view name, const std::vector<Item>& arguments);

}  // namespace tessera::kernel
