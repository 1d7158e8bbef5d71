/// Elements of arrays: loads, stores, and reductions over all of them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/values/array/array_view.h"

namespace tessera::kernel {

class Lowering;

using Join = std::function<Item(const Item&, const Item&)>;
using Reduced = std::vector<ir::Value>;

/// Stores the value at the index, or in all elements of what it leaves.
void store(Lowering& l, const Node& node, const Item& object, const Item& index, const Item& value);
/// The value of one element.
Item load(Lowering& l, const ArrayView& element);
/// Stores the value at the index, or in all elements of what it leaves.
void store(Lowering& l, const Node& node, const ArrayView& view, const Item& value);
/// What stands beside the element at an index of an array of at least as many axes: a number, or the element of an
/// array whose axes of one element are repeated.
Item repeated_element(Lowering& l, const Item& value, std::span<const ir::Value> at);
/// The element of an array, computed ones included, at an index for each axis.
Item element_of(Lowering& l, const Item& array, std::span<const ir::Value> at);
/// The real or imaginary parts of an array's elements, or of a number.
Item parts(Lowering& l, const Item& object, bool is_imaginary);
/// The element of a view at an index for each of its axes.
ArrayView element_at(Lowering& l, const ArrayView& view, std::span<const ir::Value> at);
/// Runs body for each index below the extents; with parallel=True on several threads, else in order.
void each_index(Lowering& l, std::span<const ir::Value> extents,
                const std::function<void(std::span<const ir::Value>)>& body);
/// Joins all elements from the left, beginning with `first`. Of a `kind` whose identity that is, sums are those of
/// rows, each by the tree of pairwise sums, and threads share the work.
Item reduce(Lowering& l, const Item& array, const Item& first, const Join& join,
            std::optional<ir::ReduceKind> kind = {});
/// The same of the elements between `from` and `to` along each axis, in order.
Reduced reduce_between(Lowering& l, const Item& array, std::span<const ir::Value> from, std::span<const ir::Value> to,
                       const Item& first, const Join& join, std::optional<ir::ReduceKind> kind);

}  // namespace tessera::kernel
