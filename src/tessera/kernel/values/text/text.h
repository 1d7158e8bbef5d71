/// Texts: constant ones, and those chosen at run time among the ones that the type lists.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// How many characters it has.
ir::Value text_length(Lowering& l, const Node& node, const Item& text);
/// The condition of two texts.
ir::Value compare_texts(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right);
/// The text that str() or repr() makes of it.
Item text_of_value(Lowering& l, const Node& node, const Item& item, bool is_repr);
/// The text as one of those that the type lists.
Item convert_text(Lowering& l, const Item& item, const Type& type);
/// The operator's result; nothing where neither is a text.
std::optional<Item> binary_of_texts(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                    const Item& right);
/// The tuple of its characters.
Item characters(Lowering& l, const Node& node, const Item& text);
/// A character, or with constant bounds a part.
Item text_subscript(Lowering& l, const Node& node, const Item& text, const Item& index);
/// As Python's repr writes a text.
std::string quoted(const std::string& text);
/// The text, known while compiling.
Item text_item(const std::string& text);

}  // namespace tessera::kernel
