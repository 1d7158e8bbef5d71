/// Statements, and how they jump.
#pragma once

#include <span>
#include <string_view>

#include "tessera/kernel/lower/liveness.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;
struct ArrayView;

/// The statements in order.
void lower_block(Lowering& l, std::span<const Node> statements);
/// The statements, where nothing before has jumped over them.
void lower_rest(Lowering& l, std::span<const Node> rest, const Jumps& before);
/// Assigns to what stands on the left: a variable, an element, several.
void assign_target(Lowering& l, const Node& target, const Item& item);
/// `place op= value` for the elements of a place in an array.
void augment_elements(Lowering& l, const Node& node, std::string_view op, const ArrayView& place, const Item& value);
/// How these statements may jump.
Jumps jumps_of(const Lowering& l, std::span<const Node> statements);
/// How a loop's body may jump.
Jumps jumps_inside(const Lowering& l, const Node& loop);

}  // namespace tessera::kernel
