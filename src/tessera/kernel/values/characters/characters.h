/// Elements of arrays of texts and bytes: what is read is a text in memory, what is stored is cut to the width.
#pragma once

#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/values/characters/character_type.h"

namespace tessera::kernel {

class Lowering;

/// The text or bytes of an array without axes; arrays with axes as they are.
Item read_characters(Lowering& l, const Node& node, const Item& characters);
/// Stores a text in all elements, or an array's elements.
void store_characters(Lowering& l, const Node& node, const Item& place, const Item& value);
/// The same where an index says.
void store_in_characters(Lowering& l, const Node& node, const Item& array, const Item& index, const Item& value);
/// Which elements compare so with a text, or with those of another array.
Item compare_characters(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right);

}  // namespace tessera::kernel
