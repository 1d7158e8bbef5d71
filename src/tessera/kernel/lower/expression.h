/// Expressions: what a tree of one computes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// What a name outside of the function stands for.
Item item_of(Lowering& l, const Entity& entity, const Node& node);
/// Whether the expression needs no branch around it: it reads no memory, calls nothing and raises nothing.
bool is_cheap(const Lowering& l, const Node& expression);
/// Both conditions.
ir::Value both(Lowering& l, ir::Value x, ir::Value y);
/// One value or the other, each evaluated where it is chosen; both where they are cheap. `node` tells them from others.
Item choose(Lowering& l, const Node& node, ir::Value condition, const std::function<Item()>& if_true,
            const std::function<Item()>& if_false, bool cheap);
/// Its value, which may be None.
Item lower_expression(Lowering& l, const Node& expression);
/// Keeps the type for who asks for the types of all expressions.
void note_type(Lowering& l, const Node& expression, const Type& type);
/// The values in order, those of unpacked tuples among them.
std::vector<Item> lower_listed(Lowering& l, std::span<const Node> expressions, bool may_be_none = false);
/// The attribute; nothing where there is none.
std::optional<Item> attribute_of(Lowering& l, const Node& node, const Item& object);
/// What the expression stands for outside of the function, if it does.
std::optional<Entity> entity_of(const Lowering& l, const Node& node);

}  // namespace tessera::kernel
