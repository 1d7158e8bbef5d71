// Arrays that a function makes, and arrays that are computed element by element and need no memory.
#include "tessera/kernel/values/array/array.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/linear_algebra.h"
#include "tessera/kernel/values/array/row.h"
#include "tessera/kernel/values/array/whole.h"
#include "tessera/kernel/values/date/date.h"

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

}  // namespace

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
  l.memory.note_allocation();
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

namespace {

/// A product of two arrays of one or two axes, whose extents fit.
struct Product {
  Lowering& l;
  const Node& node;
  Item left, right;
  DType dtype;
  std::vector<ir::Value> rows, columns;  // extents of each
  ir::Value count;                       // terms of an element
  ir::Builder& b = l.b;
  ir::Value zero = l.number(0), one = l.number(1);

  Item term(std::span<const ir::Value> at_left, std::span<const ir::Value> at_right) const {
    const Item x = element_of(l, left, at_left), y = element_of(l, right, at_right);
    return l.scalar(b.binary(ir::Opcode::mul, l.cast(x, dtype), l.cast(y, dtype)));
  }
  Item term(ir::Value i, ir::Value k, ir::Value j) const {
    std::vector<ir::Value> at_left{k}, at_right{k};
    if (left.type->axes == 2) at_left.insert(at_left.begin(), i);
    if (right.type->axes == 2) at_right.push_back(j);
    return term(at_left, at_right);
  }
  /// An element, summed in order.
  Item dot(ir::Value i, ir::Value j) const {
    const std::vector<ir::Value> initial{b.constant(dtype, 0)};
    return l.scalar(b.for_(zero, count, one, initial, [&](std::span<const ir::Value> args) {
      return std::vector{b.add(args[1], term(i, args[0], j).values[0])};
    })[0]);
  }
  /// Adds the terms of a row to zeros, along rows of the right matrix.
  void add_rows(const ArrayView& into, ir::Value i, const std::vector<ir::Value>& row) const {
    const std::vector<ir::Value> from(2, zero);
    each_place_in_order(l, from, std::vector{count, columns[1]}, [&](std::span<const ir::Value> at) {
      std::vector<ir::Value> place = row;
      place.push_back(at[1]);
      const ArrayView element = element_at(l, into, place);
      store(l, node, element, l.scalar(b.add(load(l, element).values[0], term(i, at[0], at[1]).values[0])));
    });
  }
  /// One where so many products of elements are needed that a call of BLAS pays; nothing where it has no routine.
  std::optional<ir::Value> is_large() const {
    constexpr int64_t many = 1 << 13;
    if (!takes_blas(l, left, right) || (left.type->axes == 1 && right.type->axes == 2)) return {};
    ir::Value all = count;
    if (left.type->axes == 2) all = b.mul(all, rows[0]);
    if (right.type->axes == 2) all = b.mul(all, columns[1]);
    return b.gt(all, l.number(many));
  }
  void call_blas(const Item& into) const { call_linear_algebra(l, node, LinearAlgebra::product, {left, right, into}); }
  Item number() const {
    const bool is_summed =
        (dtype == DType::float32 || dtype == DType::float64) && left.type->dtype == right.type->dtype;
    if (is_summed && takes_row_routines(l, std::vector{left, right}))
      return l.scalar(b.add(b.constant(dtype, 0), sum_of_products(l, left, right, count)));
    const std::optional<ir::Value> large = is_large();
    if (!large) return dot(zero, zero);
    const auto by_blas = [&](std::span<const ir::Value>) {
      const Item sum = allocate(l, node, dtype, {one}, false);
      call_blas(sum);
      return std::vector{load(l, element_at(l, view_of(l, sum), std::vector{zero})).values[0]};
    };
    const auto in_place = [&](std::span<const ir::Value>) { return std::vector{dot(zero, zero).values[0]}; };
    return l.scalar(b.if_(*large, by_blas, in_place)[0]);
  }
  void fill(const Item& result, const std::vector<ir::Value>& extents) const {
    const ArrayView view = view_of(l, result);
    const auto in_place = [&](std::span<const ir::Value>) {
      if (right.type->axes == 1)
        each_index(l, extents,
                   [&](std::span<const ir::Value> at) { store(l, node, element_at(l, view, at), dot(at[0], zero)); });
      else if (left.type->axes == 1)
        add_rows(view, zero, {});
      else
        each_index(l, std::vector{rows[0]}, [&](std::span<const ir::Value> at) { add_rows(view, at[0], {at[0]}); });
      return std::vector<ir::Value>{};
    };
    const std::optional<ir::Value> large = is_large();
    if (!large) return (void)in_place({});
    b.if_(*large, [&](std::span<const ir::Value>) { return call_blas(result), std::vector<ir::Value>{}; }, in_place);
  }
};

}  // namespace

// Along rows of the right matrix, so that the inner loop is over neighbours; each element is summed in order. Large
// products are BLAS's.
Item matrix_product(Lowering& l, const Node& node, const Item& left, const Item& right) {
  ir::Builder& b = l.b;
  const auto is_factor = [](const Type& type) { return type.is_array_like() && (type->axes == 1 || type->axes == 2); };
  if (!is_factor(left.type) || !is_factor(right.type))
    l.fail(node, format("a matrix product of {} and {}", describe(left.type), describe(right.type)),
           "arrays of one or two axes");
  const auto held = [&](const Item& factor) { return l.options.is_function ? l.in_memory(node, factor) : factor; };
  Product product{.l = l,
                  .node = node,
                  .left = held(left),
                  .right = held(right),
                  .dtype = promote(left.type->dtype, right.type->dtype)};
  product.rows = shape_of(l, product.left).values;
  product.columns = shape_of(l, product.right).values;
  const ir::Value depth = product.rows.back(), differ = b.ne(depth, product.columns[0]);
  l.failures.raise_if(
      node, differ, ExceptionNumber::value_error,
      "matmul: incompatible array sizes: the left factor's last axis has {} elements, the right one's {}",
      std::vector{l.scalar(depth), l.scalar(product.columns[0])});
  product.count = b.select(differ, product.zero, depth);
  if (left.type->axes == 1 && right.type->axes == 1) return product.number();
  std::vector<ir::Value> extents;
  if (left.type->axes == 2) extents.push_back(product.rows[0]);
  if (right.type->axes == 2) extents.push_back(product.columns[1]);
  const Item result = allocate(l, node, product.dtype, extents, right.type->axes == 2);
  product.fill(result, extents);
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
