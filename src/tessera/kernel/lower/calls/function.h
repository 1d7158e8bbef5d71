/// Functions that are called: their bodies stand in the caller's place.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// What the function returns for these arguments.
Item call_function(Lowering& l, const Node& node, const Function& callee, const std::vector<Item>& args);
/// Gives the frame's parameters their values.
void assign_parameters(Lowering& l, const Node& node, const Function& function, const std::vector<Item>& arguments);
/// The one with the fewest conversions; null where the function has none.
const Signature* signature_for(const Lowering& l, const Function& callee, const std::vector<Item>& args);
/// The number in the type that a signature says.
Item as_number(Lowering& l, const Node& node, const Item& item, DType dtype);
/// The argument of parameter k as the signature says, which may be null.
Item as_parameter(Lowering& l, const Node& node, const Signature* signature, size_t k, const Item& item);
/// Says of a function that calls itself why no type is right for what it returns, where there is none.
void check_returns(const Lowering& l, const Node& node, const Function& callee);

}  // namespace tessera::kernel
