// Arrays that a function makes, and arrays that are computed element by element and need no memory.
#include "tessera/kernel/lower/arrays/array.h"

#include <algorithm>
#include <utility>

#include "tessera/kernel/lower/arrays/element.h"
#include "tessera/kernel/lower/arrays/index.h"
#include "tessera/kernel/lower/arrays/whole.h"
#include "tessera/kernel/lower/date.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

namespace {

std::vector<ir::Value> c_order(Lowering& l, std::span<const ir::Value> extents, bool is_fortran = false) {
  ir::Builder& b = l.b;
  std::vector<ir::Value> steps(extents.size());
  ir::Value step = b.constant(DType::int64, 1);
  for (size_t k = 0; k < extents.size(); ++k) {
    const size_t axis = is_fortran ? k : extents.size() - 1 - k;
    steps[axis] = step;
    step = b.mul(step, extents[axis]);
  }
  return steps;
}

/// Axes of one element are repeated; others that differ raise ValueError.
std::vector<ir::Value> broadcast(Lowering& l, const Node& node, std::span<const Item> items) {
  ir::Builder& b = l.b;
  size_t axes = 0;
  for (const Item& item : items)
    if (item.type.is_array_like()) axes = std::max(axes, static_cast<size_t>(item.type->axes));
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  std::vector<ir::Value> extents(axes, one);
  ir::Value differ = b.constant(Scalar::of_bool(false));
  for (const Item& item : items) {
    if (!item.type.is_array_like()) continue;
    const std::vector<ir::Value> shape = shape_of(l, item).values;
    for (size_t k = 0; k < shape.size(); ++k) {
      ir::Value& extent = extents[axes - shape.size() + k];
      const ir::Value is_one = b.eq(extent, one);
      const ir::Value other = b.bit_and(b.ne(shape[k], one), b.ne(shape[k], extent));
      if (l.constant_of(l.scalar(extent)) != nullptr && extent == one) {
        extent = shape[k];
        continue;
      }
      differ = b.bit_or(differ, b.bit_and(b.bit_not(is_one), other));
      extent = b.select(is_one, shape[k], extent);
    }
  }
  l.failures.raise_if(node, differ, ExceptionNumber::value_error, "operands could not be broadcast together");
  if (l.constant_of(l.scalar(differ)) == nullptr)
    for (ir::Value& extent : extents) extent = b.select(differ, zero, extent);
  return extents;
}

}  // namespace

Item computed(DType dtype, std::vector<ir::Value> extents, std::function<Item(std::span<const ir::Value>)> element,
              std::vector<Item> operands) {
  Item item{TypeParts{.kind = TypeKind::computed, .dtype = dtype, .axes = static_cast<int>(extents.size())}, {}};
  item.computed = std::make_shared<const Computed>(std::move(extents), std::move(element), std::move(operands));
  return item;
}

uint32_t Memory::add_heap(DType dtype) {
  return b.add_buffer(
      {.dtype = dtype, .ndim = 1, .writable = true, .no_alias = false, .inner = ir::InnerStride::contiguous});
}

Item allocate(Lowering& l, const Node& node, DType dtype, const std::vector<ir::Value>& extents, bool zeroed) {
  ir::Builder& b = l.b;
  if (!l.options.is_function)
    l.refuse(node, "a new array in a kernel", "cuda.local.array(shape, dtype), or an array that is passed");
  const ir::Value zero = b.constant(DType::int64, 0);
  ir::Value count = b.constant(DType::int64, 1);
  ir::Value negative = b.constant(Scalar::of_bool(false));
  std::vector<ir::Value> lengths;
  for (ir::Value extent : extents) {
    const bool is_sound = l.facts.is_non_negative(extent);
    if (!is_sound) negative = b.bit_or(negative, b.lt(extent, zero));
    lengths.push_back(is_sound ? extent : b.max(extent, zero));
    count = b.mul(count, lengths.back());
  }
  l.failures.raise_if(node, negative, ExceptionNumber::value_error, "negative dimensions are not allowed");
  const HostFunction function = zeroed ? HostFunction::allocate_zeros : HostFunction::allocate;
  const ir::Value number = b.constant(Scalar::of_int(DType::int64, static_cast<int64_t>(dtype)));
  return own_array(l, dtype, b.call_host(static_cast<uint32_t>(function), std::vector{count, number}), lengths);
}

Item own_array(Lowering& l, const typed::Heap& heap, ir::Value begin, std::span<const ir::Value> extents,
               std::span<const ir::Value> steps) {
  ArrayView::Base base{.array = TypeParts{.kind = TypeKind::buffer,
                                          .dtype = heap.dtype,
                                          .id = l.memory.heap_id(heap),
                                          .axes = 1,
                                          .base_axes = 1,
                                          .is_heap = true}};
  base.begins = {begin};
  base.kept.assign(extents.size(), 0);
  ArrayView view;
  for (size_t axis = 0; axis < extents.size(); ++axis) view.axes.push_back({steps[axis], extents[axis]});
  view.bases.push_back(std::move(base));
  return view.item();
}

Item materialise(Lowering& l, const Node& node, const Item& computed) {
  const Item array =
      with_unit(allocate(l, node, computed.type->dtype, computed.computed->extents, false), computed.type->unit);
  store_each(l, node, view_of(l, array), computed);
  return array;
}

/// The extents; raises ValueError where the array cannot be broadcast to them.
std::vector<ir::Value> checked_extents(Lowering& l, const Node& node, const Item& value,
                                       std::vector<ir::Value> extents) {
  ir::Builder& b = l.b;
  if (!l.options.is_function && !l.options.checks_bounds) return extents;
  const ir::Value one = b.constant(DType::int64, 1);
  ir::Value differ = b.constant(Scalar::of_bool(false));
  const std::vector<ir::Value> shape = shape_of(l, value).values;
  for (size_t k = 0; k < shape.size(); ++k) {
    const ir::Value extent = extents[extents.size() - shape.size() + k];
    if (shape[k] == extent) continue;
    differ = b.bit_or(differ, b.bit_and(b.ne(shape[k], one), b.ne(shape[k], extent)));
  }
  l.failures.raise_if(node, differ, ExceptionNumber::value_error,
                      "could not broadcast the right side to the places on the left");
  return extents;
}

Item elementwise(Lowering& l, const Node& node, const std::vector<Item>& operands,
                 const std::function<Item(const std::vector<Item>&)>& body) {
  std::vector<ir::Value> extents = broadcast(l, node, operands);
  // The dtype is that of the op on zeros, whose instructions nobody uses.
  std::vector<Item> samples;
  for (const Item& operand : operands)
    samples.push_back(operand.type.is_array_like() ? l.zero(element_type_of(operand.type)) : operand);
  const Item sample = body(samples);
  if (!sample.type.is_scalar()) l.refuse(node, "an operation on arrays with several results", "one result at a time");
  const auto element = [&l, operands, body](std::span<const ir::Value> at) {
    std::vector<Item> elements;
    for (const Item& operand : operands) elements.push_back(repeated_element(l, operand, at));
    return body(elements);
  };
  Item made = computed(sample.type->dtype, std::move(extents), element, operands);
  if (sample.type->unit) made.type = with_unit({made.type, {}}, sample.type->unit).type;
  return made;
}

// Along rows of the right matrix, so that the inner loop is over neighbours; each element is summed in order.
Item matrix_product(Lowering& l, const Node& node, const Item& left, const Item& right) {
  ir::Builder& b = l.b;
  const auto is_factor = [](const Type& type) { return type.is_array_like() && (type->axes == 1 || type->axes == 2); };
  if (!is_factor(left.type) || !is_factor(right.type))
    l.fail(node, format("a matrix product of {} and {}", describe(left.type), describe(right.type)),
           "arrays of one or two axes");
  const DType dtype = promote(left.type->dtype, right.type->dtype);
  const std::vector<ir::Value> rows = shape_of(l, left).values, columns = shape_of(l, right).values;
  const ir::Value depth = rows.back(), zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const ir::Value differ = b.ne(depth, columns[0]);
  l.failures.raise_if(
      node, differ, ExceptionNumber::value_error,
      "matmul: incompatible array sizes: the left factor's last axis has {} elements, the right one's {}",
      std::vector{l.scalar(depth), l.scalar(columns[0])});
  const ir::Value count = b.select(differ, zero, depth);
  const auto product = [&](const Item& x, const Item& y) {
    return l.scalar(b.binary(ir::Opcode::mul, l.cast(x, dtype), l.cast(y, dtype)));
  };
  const auto of_left = [&](ir::Value i, ir::Value k) {
    return left.type->axes == 2 ? element_of(l, left, std::vector{i, k}) : element_of(l, left, std::vector{k});
  };
  const auto of_right = [&](ir::Value k, ir::Value j) {
    return right.type->axes == 2 ? element_of(l, right, std::vector{k, j}) : element_of(l, right, std::vector{k});
  };
  const auto dot = [&](ir::Value i, ir::Value j) {
    const std::vector<ir::Value> initial{b.constant(dtype, 0)};
    return l.scalar(b.for_(zero, count, one, initial, [&](std::span<const ir::Value> args) {
      const Item term = product(of_left(i, args[0]), of_right(args[0], j));
      return std::vector{b.add(args[1], term.values[0])};
    })[0]);
  };
  if (left.type->axes == 1 && right.type->axes == 1) return dot(zero, zero);
  std::vector<ir::Value> extents;
  if (left.type->axes == 2) extents.push_back(rows[0]);
  if (right.type->axes == 2) extents.push_back(columns[1]);
  const bool by_rows = right.type->axes == 2;
  const Item result = allocate(l, node, dtype, extents, by_rows);
  const ArrayView view = view_of(l, result);
  if (!by_rows) {
    each_index(l, extents,
               [&](std::span<const ir::Value> at) { store(l, node, element_at(l, view, at), dot(at[0], zero)); });
    return result;
  }
  const auto add_rows = [&](ir::Value i, const std::vector<ir::Value>& row) {
    const std::vector<ir::Value> from(2, zero);
    each_place_in_order(l, from, std::vector{count, columns[1]}, [&](std::span<const ir::Value> at) {
      std::vector<ir::Value> place = row;
      place.push_back(at[1]);
      const ArrayView one = element_at(l, view, place);
      const Item term = product(of_left(i, at[0]), of_right(at[0], at[1]));
      store(l, node, one, l.scalar(b.add(load(l, one).values[0], term.values[0])));
    });
  };
  if (left.type->axes == 1)
    add_rows(zero, {});
  else
    each_index(l, std::vector{rows[0]}, [&](std::span<const ir::Value> at) { add_rows(at[0], {at[0]}); });
  return result;
}

Item own_array(Lowering& l, DType dtype, ir::Value begin, std::span<const ir::Value> extents) {
  return own_array(l, typed::Heap{.dtype = dtype}, begin, extents, c_order(l, extents));
}

Item Lowering::in_memory(const Node& node, const Item& item) {
  if (is_written_list(item)) return is_mixed_list(item.type) ? item : list_of(*this, node, item, "");
  if (item.computed && item.computed->whole && options.is_function) return parts_in_memory(*this, node, item);
  return item.type->kind == TypeKind::computed ? materialise(*this, node, item) : item;
}

}  // namespace tessera::kernel
