/// What loops run over: ranges, elements, and what zip, enumerate and the like make of them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// From lower to before upper.
struct Range {
  ir::Value lower, upper, step;
};

/// How far it is from lower to upper, 0 where the range is empty, and from index to index: unsigned, below 2^64.
struct Distances {
  ir::Value whole = ir::no_value, step = ir::no_value;
};

/// What a loop runs over: the elements of a tuple, or element(i) for each i of a range.
struct Sequence {
  Range range;
  std::function<Item(ir::Value)> element;
  std::optional<Item> tuple;
  bool is_parallel = false;                       // prange
  std::function<ir::Value()> upper{};             // of a list that may change meanwhile: how far the range goes now
  std::function<ir::Value(ir::Value)> advance{};  // of a generator: goes on to element k; whether there is one
  std::function<void()> close{};                  // of one that an early end has to be told
};

/// The range that the object is.
Range range_of(const Item& object);
/// How many steps it takes.
ir::Value count_range(Lowering& l, const Range& range);
/// What a loop over the expression runs over.
Sequence sequence_of(Lowering& l, const Node& expression);
/// The same sequence, by the numbers of its elements.
Sequence counted_from_zero(Lowering& l, Sequence sequence);
/// The elements of an array in C order, with their indices or without, and the indices of a shape.
Sequence elements_in_order(Lowering& l, const Node& node, const Item& array, bool with_indices);
Sequence indices_of(Lowering& l, const Item& shape);
/// The shape that arguments of ndindex say.
Item shape_of_arguments(Lowering& l, const Node& call);
/// The elements of a value that is no generator, by their numbers.
Sequence sequence_over_counted(Lowering& l, const Node& node, const Item& items);
/// The element that is `index` in C order.
Item flat_element(Lowering& l, const Node& node, const Item& array, const Item& index);
/// The index of element `index` in C order.
std::vector<ir::Value> flat_place(Lowering& l, const Node& node, const Item& array, const Item& index);
/// The array of which `.flat[k]` stands here.
std::optional<Item> flat_array(Lowering& l, const Node& subscript);
/// The range as a value.
Item range_object(Lowering& l, const Range& range);
/// How far the range goes.
Distances distances_of(Lowering& l, const Range& range);
/// The value of `iter(...)`.
Item lower_iter(Lowering& l, const Node& node);
/// An iterator over the zipped elements of what does not change; nothing where an argument may.
std::optional<Item> zip_of_tuples(Lowering& l, const Node& node, const std::vector<Item>& given);
/// The value of `next(...)`.
Item lower_next(Lowering& l, const Node& node);

}  // namespace tessera::kernel
