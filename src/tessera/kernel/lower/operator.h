/// Operators: arithmetic, comparisons and conditions, of numbers and of what is like them.
#pragma once

#include <string_view>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// The operator's result, of numbers or elementwise.
Item binary(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right);
/// The operator's result, of a number or elementwise.
Item unary(Lowering& l, const Node& node, std::string_view op, const Item& item);
/// The condition of a comparison that gives one: arrays are compared by `apply_op`.
ir::Value compare(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right);
/// Whether elements of containers are equal: an object is equal to itself there, whatever its method says.
ir::Value equal_elements(Lowering& l, const Node& node, const Item& left, const Item& right);
/// The same of tuples, by their first elements that differ.
ir::Value compare_in_order(Lowering& l, const Node& node, std::string_view op, const Item& left, const Item& right);
/// The condition in Python's sense.
ir::Value truth(Lowering& l, const Node& node, const Item& item);
/// op of the table on scalars, in the loop that NumPy's rules choose.
Item apply_op(Lowering& l, const Node& node, std::string_view op, const std::vector<Item>& operands);
/// The value of a unary operator.
Item lower_unary(Lowering& l, const Node& node);
/// The value of a chain of comparisons.
Item lower_compare(Lowering& l, const Node& node);

}  // namespace tessera::kernel
