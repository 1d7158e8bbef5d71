/// Reductions of rows: by compiled routines of the host, which need no code of their own, or by the tree of pairwise
/// sums.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// Whether the host's routines reduce rows of these arrays: they are in memory, and in a function that it calls.
bool takes_row_routines(const Lowering& l, std::span<const Item> arrays);
/// Of arrays of one axis and one length: what the routine gives, a float as it is in the array, or a place.
ir::Value call_row_routine(Lowering& l, RowReduction what, std::span<const Item> rows);
/// Of the elements from `from` to `to` along the last axis, at these places along the others; `element` computes one.
ir::Value reduce_row(Lowering& l, const Item& array, const std::vector<ir::Value>& at, ir::Value from, ir::Value to,
                     ir::ReduceKind kind, const std::function<ir::Value(ir::Value)>& element);
/// The sum of the products of two vectors of one length and dtype, which have routines.
ir::Value sum_of_products(Lowering& l, const Item& left, const Item& right, ir::Value count);

}  // namespace tessera::kernel
