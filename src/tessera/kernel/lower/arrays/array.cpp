// Arrays that a function makes, and arrays that are computed element by element and need no memory.
#include <algorithm>
#include <utility>

#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

Item Lowering::computed(DType dtype, std::vector<ir::Value> extents,
                        std::function<Item(std::span<const ir::Value>)> element, std::vector<Item> operands) {
  Item item{{.kind = TypeKind::computed, .dtype = dtype, .axes = static_cast<int>(extents.size())}, {}};
  item.computed = std::make_shared<const Computed>(std::move(extents), std::move(element), std::move(operands));
  return item;
}

/// A buffer of which element 0 is at address 0.
uint32_t Lowering::heap_of(const Heap& heap) {
  const auto found = std::ranges::find(known_.heaps, heap);
  const auto which = static_cast<size_t>(found - known_.heaps.begin());
  if (found == known_.heaps.end()) {
    known_.heaps.push_back(heap);
    heaps_.push_back(add_heap(heap.dtype));
    changed_ = true;
  }
  return heaps_[which];
}

uint32_t Lowering::add_heap(DType dtype) {
  return b.add_buffer(
      {.dtype = dtype, .ndim = 1, .writable = true, .no_alias = false, .inner = ir::InnerStride::contiguous});
}

Item Lowering::allocate(const Node& node, DType dtype, const std::vector<ir::Value>& extents, bool zeroed) {
  if (!options_.is_function)
    refuse(node, "a new array in a kernel", "cuda.local.array(shape, dtype), or an array that is passed");
  const ir::Value zero = b.constant(DType::int64, 0);
  ir::Value count = b.constant(DType::int64, 1);
  ir::Value negative = b.constant(Scalar::of_bool(false));
  std::vector<ir::Value> lengths;
  for (ir::Value extent : extents) {
    const bool is_sound = facts_.is_non_negative(extent);
    if (!is_sound) negative = b.bit_or(negative, b.lt(extent, zero));
    lengths.push_back(is_sound ? extent : b.max(extent, zero));
    count = b.mul(count, lengths.back());
  }
  raise_if(node, negative, ExceptionNumber::value_error, "negative dimensions are not allowed");
  const HostFunction function = zeroed ? HostFunction::allocate_zeros : HostFunction::allocate;
  const ir::Value number = b.constant(Scalar::of_int(DType::int64, static_cast<int64_t>(dtype)));
  return own_array(dtype, b.call_host(static_cast<uint32_t>(function), std::vector{count, number}), lengths);
}

std::vector<ir::Value> Lowering::c_order(std::span<const ir::Value> extents, bool is_fortran) {
  std::vector<ir::Value> steps(extents.size());
  ir::Value step = b.constant(DType::int64, 1);
  for (size_t k = 0; k < extents.size(); ++k) {
    const size_t axis = is_fortran ? k : extents.size() - 1 - k;
    steps[axis] = step;
    step = b.mul(step, extents[axis]);
  }
  return steps;
}

Item Lowering::own_array(const Heap& heap, ir::Value begin, std::span<const ir::Value> extents,
                         std::span<const ir::Value> steps) {
  ArrayView::Base base{
      .array = {.kind = TypeKind::buffer, .dtype = heap.dtype, .axes = 1, .base_axes = 1, .is_heap = true}};
  base.array.id = heap_of(heap);
  base.begins = {begin};
  base.kept.assign(extents.size(), 0);
  ArrayView view;
  for (size_t axis = 0; axis < extents.size(); ++axis) view.axes.push_back({steps[axis], extents[axis]});
  view.bases.push_back(std::move(base));
  return view.item();
}

Item Lowering::materialise(const Node& node, const Item& computed) {
  const Item array = allocate(node, computed.type.dtype, computed.computed->extents, false);
  store_each(node, view_of(array), computed);
  return array;
}

/// Axes of one element are repeated; others that differ raise ValueError.
std::vector<ir::Value> Lowering::broadcast(const Node& node, std::span<const Item> items) {
  size_t axes = 0;
  for (const Item& item : items)
    if (item.type.is_array_like()) axes = std::max(axes, static_cast<size_t>(item.type.axes));
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  std::vector<ir::Value> extents(axes, one);
  ir::Value differ = b.constant(Scalar::of_bool(false));
  for (const Item& item : items) {
    if (!item.type.is_array_like()) continue;
    const std::vector<ir::Value> shape = shape_of(item).values;
    for (size_t k = 0; k < shape.size(); ++k) {
      ir::Value& extent = extents[axes - shape.size() + k];
      const ir::Value is_one = b.eq(extent, one);
      const ir::Value other = b.bit_and(b.ne(shape[k], one), b.ne(shape[k], extent));
      if (constant_of(scalar(extent)) != nullptr && extent == one) {
        extent = shape[k];
        continue;
      }
      differ = b.bit_or(differ, b.bit_and(b.bit_not(is_one), other));
      extent = b.select(is_one, shape[k], extent);
    }
  }
  raise_if(node, differ, ExceptionNumber::value_error, "operands could not be broadcast together");
  if (constant_of(scalar(differ)) == nullptr)
    for (ir::Value& extent : extents) extent = b.select(differ, zero, extent);
  return extents;
}

/// The extents; raises ValueError where the array cannot be broadcast to them.
std::vector<ir::Value> Lowering::checked_extents(const Node& node, const Item& value, std::vector<ir::Value> extents) {
  if (!options_.is_function && !options_.checks_bounds) return extents;
  const ir::Value one = b.constant(DType::int64, 1);
  ir::Value differ = b.constant(Scalar::of_bool(false));
  const std::vector<ir::Value> shape = shape_of(value).values;
  for (size_t k = 0; k < shape.size(); ++k) {
    const ir::Value extent = extents[extents.size() - shape.size() + k];
    if (shape[k] == extent) continue;
    differ = b.bit_or(differ, b.bit_and(b.ne(shape[k], one), b.ne(shape[k], extent)));
  }
  raise_if(node, differ, ExceptionNumber::value_error, "could not broadcast the right side to the places on the left");
  return extents;
}

Item Lowering::elementwise(const Node& node, const std::vector<Item>& operands,
                           const std::function<Item(const std::vector<Item>&)>& body) {
  std::vector<ir::Value> extents = broadcast(node, operands);
  // The dtype is that of the op on zeros, whose instructions nobody uses.
  std::vector<Item> samples;
  for (const Item& operand : operands)
    samples.push_back(operand.type.is_array_like() ? zero(Type::scalar(operand.type.dtype)) : operand);
  const Item sample = body(samples);
  if (!sample.type.is_scalar()) refuse(node, "an operation on arrays with several results", "one result at a time");
  const auto element = [this, operands, body](std::span<const ir::Value> at) {
    std::vector<Item> elements;
    for (const Item& operand : operands) elements.push_back(repeated_element(operand, at));
    return body(elements);
  };
  return computed(sample.type.dtype, std::move(extents), element, operands);
}

// Along rows of the right matrix, so that the inner loop is over neighbours; each element is summed in order.
Item Lowering::matrix_product(const Node& node, const Item& left, const Item& right) {
  const auto is_factor = [](const Type& type) { return type.is_array_like() && (type.axes == 1 || type.axes == 2); };
  if (!is_factor(left.type) || !is_factor(right.type))
    fail(node, format("a matrix product of {} and {}", describe(left.type), describe(right.type)),
         "arrays of one or two axes");
  const DType dtype = promote(left.type.dtype, right.type.dtype);
  const std::vector<ir::Value> rows = shape_of(left).values, columns = shape_of(right).values;
  const ir::Value depth = rows.back(), zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const ir::Value differ = b.ne(depth, columns[0]);
  raise_if(node, differ, ExceptionNumber::value_error,
           "matmul: incompatible array sizes: the left factor's last axis has {} elements, the right one's {}",
           std::vector{scalar(depth), scalar(columns[0])});
  const ir::Value count = b.select(differ, zero, depth);
  const auto product = [&](const Item& x, const Item& y) {
    return scalar(b.binary(ir::Opcode::mul, cast(x, dtype), cast(y, dtype)));
  };
  const auto of_left = [&](ir::Value i, ir::Value k) {
    return left.type.axes == 2 ? element_of(left, std::vector{i, k}) : element_of(left, std::vector{k});
  };
  const auto of_right = [&](ir::Value k, ir::Value j) {
    return right.type.axes == 2 ? element_of(right, std::vector{k, j}) : element_of(right, std::vector{k});
  };
  const auto dot = [&](ir::Value i, ir::Value j) {
    const std::vector<ir::Value> initial{b.constant(dtype, 0)};
    return scalar(b.for_(zero, count, one, initial, [&](std::span<const ir::Value> args) {
      const Item term = product(of_left(i, args[0]), of_right(args[0], j));
      return std::vector{b.add(args[1], term.values[0])};
    })[0]);
  };
  if (left.type.axes == 1 && right.type.axes == 1) return dot(zero, zero);
  std::vector<ir::Value> extents;
  if (left.type.axes == 2) extents.push_back(rows[0]);
  if (right.type.axes == 2) extents.push_back(columns[1]);
  const bool by_rows = right.type.axes == 2;
  const Item result = allocate(node, dtype, extents, by_rows);
  const ArrayView view = view_of(result);
  if (!by_rows) {
    each_index(extents, [&](std::span<const ir::Value> at) { store(node, element_at(view, at), dot(at[0], zero)); });
    return result;
  }
  const auto add_rows = [&](ir::Value i, const std::vector<ir::Value>& row) {
    const std::vector<ir::Value> from(2, zero);
    each_place_in_order(from, std::vector{count, columns[1]}, [&](std::span<const ir::Value> at) {
      std::vector<ir::Value> place = row;
      place.push_back(at[1]);
      const ArrayView one = element_at(view, place);
      const Item term = product(of_left(i, at[0]), of_right(at[0], at[1]));
      store(node, one, scalar(b.add(load(one).values[0], term.values[0])));
    });
  };
  if (left.type.axes == 1)
    add_rows(zero, {});
  else
    each_index(std::vector{rows[0]}, [&](std::span<const ir::Value> at) { add_rows(at[0], {at[0]}); });
  return result;
}

Item Lowering::own_array(DType dtype, ir::Value begin, std::span<const ir::Value> extents) {
  return own_array(Heap{.dtype = dtype}, begin, extents, c_order(extents));
}

}  // namespace tessera::kernel
