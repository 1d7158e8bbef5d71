/// New arrays, and arrays whose elements are computed where they are read.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/typed/findings.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// As NumPy's matmul of one or two axes.
Item matrix_product(Lowering& l, const Node& node, const Item& left, const Item& right);
/// An array whose elements are computed where they are read.
Item computed(DType dtype, std::vector<ir::Value> extents,
              std::function<Item(std::span<const ir::Value> index)> element, std::vector<Item> operands = {});
/// The array in new memory.
Item materialise(Lowering& l, const Node& node, const Item& computed);
/// A new array, its elements zero or not set.
Item allocate(Lowering& l, const Node& node, DType dtype, const std::vector<ir::Value>& extents, bool zeroed);
/// The array that begins here, in C order.
Item own_array(Lowering& l, DType dtype, ir::Value begin, std::span<const ir::Value> extents);
/// The same with steps, in the memory of this heap.
Item own_array(Lowering& l, const typed::Heap& heap, ir::Value begin, std::span<const ir::Value> extents,
               std::span<const ir::Value> steps);
/// The extents of all of them: axes of one element are repeated; others that differ raise ValueError.
std::vector<ir::Value> broadcast(Lowering& l, const Node& node, std::span<const Item> items);
/// op elementwise on numbers and arrays, of which one is an array.
Item elementwise(Lowering& l, const Node& node, const std::vector<Item>& operands,
                 const std::function<Item(const std::vector<Item>&)>& body);
/// The extents, to which those of the value can be broadcast.
std::vector<ir::Value> checked_extents(Lowering& l, const Node& node, const Item& value,
                                       std::vector<ir::Value> extents);

}  // namespace tessera::kernel
