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

}  // namespace tessera::kernel
