/// Whole arrays: work on all elements, and copies where source and target may share memory.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/values/array/array_view.h"

namespace tessera::kernel {

class Lowering;

using PlaceBody = std::function<void(std::span<const ir::Value>)>;

/// A new array of the same elements.
Item copy_of(Lowering& l, const Node& node, const Item& array);
/// Runs body for the places between `from` and `to` along each axis.
void each_place(Lowering& l, std::span<const ir::Value> from, std::span<const ir::Value> to, const PlaceBody& body);
/// The same in C order, on one thread.
void each_place_in_order(Lowering& l, std::span<const ir::Value> from, std::span<const ir::Value> to,
                         const PlaceBody& body);
/// What `emit` makes of arrays none of which has an axis of one element that is repeated, where that can be told only
/// when it runs also for arrays of which some have.
std::vector<ir::Value> uniformly(Lowering& l, const Item& value, std::span<const ir::Value> extents,
                                 const std::function<std::vector<ir::Value>()>& emit);
/// Whether storing to the target may change what is still read of the source.
bool may_clash(Lowering& l, const ArrayView& source, const ArrayView& target, bool by_elements);
/// The value, copied where storing to the target may change it.
Item apart_from(Lowering& l, const Node& node, const Item& value, const ArrayView& target);
/// Stores each element of a value that is broadcast.
void store_each(Lowering& l, const Node& node, const ArrayView& view, const Item& value);

}  // namespace tessera::kernel
