/// Calls and members that the user's overloads serve.
#pragma once

#include <optional>
#include <string>

#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// The call of what the user has overloads of.
Item lower_overloaded(Lowering& l, const Node& node, const std::string& named, const Entity& entity);
/// A method's call or an attribute that an overload serves; nothing where none does.
std::optional<Item> overloaded_member(Lowering& l, const Node& node, const Item& object, bool is_attribute);

}  // namespace tessera::kernel
