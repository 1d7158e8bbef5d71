/// Words in memory that begins at address 0: headers of containers, and their elements.
#pragma once

#include "tessera/ir/builder.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

ir::Value load_word(Lowering& l, ir::Value at);
void store_word(Lowering& l, ir::Value at, ir::Value word);
/// A value from `at` on, in as many words as its type has (lower/words.h).
void store_element(Lowering& l, ir::Value at, const Item& value);
Item load_element(Lowering& l, ir::Value at, const Type& type);

}  // namespace tessera::kernel
