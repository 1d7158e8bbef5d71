/// Objects of users' classes: fields, methods, and operators that are methods.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// A new object of this type, whose fields are zero.
Item new_object(Lowering& l, const Type& type);
/// What a method of this name gives for these arguments; nothing where the object has none, or is none.
std::optional<Item> call_special_method(Lowering& l, const Node& node, const std::string& name,
                                        const std::vector<Item>& arguments);
/// Functions of Python that ask an object by a method, such as len.
std::optional<Item> call_builtin_of_object(Lowering& l, const Node& node, std::string_view builtin,
                                           const std::vector<Item>& arguments);
/// What __hash__ gives, or without __eq__ one of its own; nothing for what has __eq__ alone.
std::optional<Item> hash_of_object(Lowering& l, const Node& node, const Item& object);
bool is_object(const Item& item);
/// An array as one in memory that begins at address 0, for what keeps it.
Item array_for_field(Lowering& l, const Node& node, const Item& given, const Type& type);

}  // namespace tessera::kernel
