/// Variables: their values where control is, and their types in the whole function.
#pragma once

#include <optional>
#include <string>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/typed/program.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// The type under this name, to which `type` is added.
Type widen(Lowering& l, const Node& node, const typed::VariableKey& key, std::string_view name, const Type& type);
/// The type of the variable in the whole function, so far as it is known; null where it is not.
const Type* type_of(const Lowering& l, int slot);
/// Sets one of the flags behind the variables.
void set_flag(Lowering& l, int slot, bool value);
/// The flag as it is here.
ir::Value flag(const Lowering& l, int slot);
/// Assigns to the variable, whose type may grow.
void assign(Lowering& l, const Node& node, int slot, const Item& item);
/// The variable's value here.
Item read(Lowering& l, const Node& node, int variable);

}  // namespace tessera::kernel
