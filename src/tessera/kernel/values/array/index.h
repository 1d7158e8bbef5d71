/// Indices: what they leave of an array, and which element they name.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/values/array/array_view.h"

namespace tessera::kernel {

class Lowering;

using BaseBody = std::function<std::vector<ir::Value>(const ArrayView::Base&)>;

/// Where the array lies.
ArrayView view_of(Lowering& l, const Item& array);
/// What body makes of the array that the view is of; of several, of those from the first on.
std::vector<ir::Value> for_base(Lowering& l, const ArrayView& view, const BaseBody& body, size_t first = 0);
/// The view as a value.
Item item_of(Lowering& l, const ArrayView& view);
/// What the index leaves of the array; nothing of its axes where it names one element.
ArrayView sub_view(Lowering& l, const Node& node, const Item& array, const Item& index);
/// The element at an index, or what a partial index or a slice leaves of an array, of records or of a tuple.
Item leading_index(Lowering& l, const Node& node, const Item& records, const Item& index);
Item subscript(Lowering& l, const Node& node, const Item& object, const Item& index);
/// The IR's indices of an element; for a shared or local array the one index of its elements in order.
std::vector<ir::Value> address(Lowering& l, const ArrayView::Base& element);
/// The tuple of the extents.
Item shape_of(Lowering& l, const Item& array);
/// The index with lists that were written as tuples of their elements.
Item without_lists(Lowering& l, const Node& node, const Item& index);
/// The view as one of another type, whose arrays are those of this one and others.
Item convert_view(Lowering& l, const Item& array, const Type& type);
/// Moves where a view begins by steps along one of the array's axes.
void move_begin(Lowering& l, ArrayView::Base& base, int axis, ir::Value step, ir::Value by);
/// The index from the front, of one that may be counted from the end.
ir::Value within(Lowering& l, const Item& index, ir::Value extent);
/// Stores where an array of indices says.
void scatter(Lowering& l, const Node& node, const Item& array, const Item& index, const Item& value);
/// The element of a tuple, chosen at run time where they are alike.
Item tuple_element(Lowering& l, const Node& node, const Item& tuple, const Item& index);
/// Whether an index is an array of indices, or a tuple that has one.
bool is_array_index(const Item& index);
/// That an index of an array without axes says nothing.
void check_no_index(Lowering& l, const Node& node, const Item& index);

}  // namespace tessera::kernel
