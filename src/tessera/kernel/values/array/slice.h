/// Slices of arrays and tuples.
#pragma once

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/values/array/array_view.h"

namespace tessera::kernel {

class Lowering;

/// The number of steps from lower to upper, whose difference plus the step is an int64.
ir::Value count_steps(Lowering& l, ir::Value lower, ir::Value upper, ir::Value step);
/// The axis that a slice leaves of one; moves where the view begins.
ArrayView::Axis sliced(Lowering& l, const Node& node, const Item& slice, ArrayView::Axis axis, ir::Value& begin);
/// The elements that a slice leaves.
Item tuple_slice(Lowering& l, const Node& node, const Item& tuple, const Item& slice);
/// The value of a slice.
Item lower_slice(Lowering& l, const Node& node);

}  // namespace tessera::kernel
