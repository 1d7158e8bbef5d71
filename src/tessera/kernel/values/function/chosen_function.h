/// Functions that are chosen at run time among those that the type lists.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// The same with these arguments.
Item call_chosen_with(Lowering& l, const Node& node, const Item& callee, const std::vector<Item>& arguments);
/// The function, whose calls convert numbers to the signature.
Item with_signature(Lowering& l, const Item& item, const std::shared_ptr<const Signature>& signature);

}  // namespace tessera::kernel
