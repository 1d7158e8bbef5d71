#include "tessera/kernel/values/array/row.h"

#include <algorithm>

#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/memory.h"

namespace tessera::kernel {

namespace {

/// Fewer elements than this are summed in order, which is what the tree does with them.
constexpr int64_t few = 8;

bool is_summed(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }

/// Where a row is: its first element and how far it is to the next, in bytes.
struct Row {
  ir::Value address, stride;
};

Row row_at(Lowering& l, const ArrayView& view, std::vector<ir::Value> first) {
  const std::vector<ir::Value> strides = strides_of(l, view);
  return {address_in_bytes(l, element_at(l, view, first)), strides.back()};
}

ir::Value call(Lowering& l, RowReduction what, DType dtype, ir::Value count, std::span<const Row> rows) {
  std::vector<ir::Value> words{l.number(static_cast<int64_t>(what)), l.number(static_cast<int64_t>(dtype)),
                               rows[0].address, count, rows[0].stride};
  for (const Row& other : rows.subspan(1)) {
    words.push_back(other.address);
    words.push_back(other.stride);
  }
  const ir::Value bits = call_host(l, HostFunction::reduce_row, words);
  if (what == RowReduction::least_place || what == RowReduction::greatest_place) return bits;
  return l.b.bitcast(dtype == DType::float32 ? l.b.cast(bits, DType::int32) : bits, dtype);
}

/// Few elements in order, and others by the routine.
ir::Value sum_of_row(Lowering& l, DType dtype, ir::Value from, ir::Value to,
                     const std::function<ir::Value(ir::Value)>& element, const std::function<ir::Value()>& routine) {
  ir::Builder& b = l.b;
  const auto in_order = [&](std::span<const ir::Value>) {
    return b.for_(from, to, l.number(1), std::vector{b.constant(dtype, -0.0)},
                  [&](std::span<const ir::Value> args) { return std::vector{b.add(args[1], element(args[0]))}; });
  };
  const auto by_routine = [&](std::span<const ir::Value>) { return std::vector{routine()}; };
  return b.if_(b.lt(b.sub(to, from), l.number(few)), in_order, by_routine)[0];
}

}  // namespace

bool takes_row_routines(const Lowering& l, std::span<const Item> arrays) {
  return l.options.is_function && !l.options.is_device && !l.options.checks_races &&
         std::ranges::all_of(arrays, [](const Item& array) {
           return array.type.is_array() && array.type->kind != TypeKind::choice && array.type->axes > 0 &&
                  !array.type->is_constant;
         });
}

ir::Value call_row_routine(Lowering& l, RowReduction what, std::span<const Item> rows) {
  std::vector<Row> found;
  for (const Item& row : rows) found.push_back(row_at(l, view_of(l, row), {l.number(0)}));
  return call(l, what, rows[0].type->dtype, view_of(l, rows[0]).axes[0].extent, found);
}

ir::Value reduce_row(Lowering& l, const Item& array, const std::vector<ir::Value>& at, ir::Value from, ir::Value to,
                     ir::ReduceKind kind, const std::function<ir::Value(ir::Value)>& element) {
  const DType dtype = array.type->dtype;
  if (kind != ir::ReduceKind::add || !is_summed(dtype) || !takes_row_routines(l, {&array, 1}))
    return l.b.reduce(kind, ir::ReduceOrder::pairwise, from, to, element);
  std::vector<ir::Value> first = at;
  first.push_back(from);
  return sum_of_row(l, dtype, from, to, element, [&] {
    const Row row = row_at(l, view_of(l, array), first);
    return call(l, RowReduction::sum, dtype, l.b.sub(to, from), {&row, 1});
  });
}

ir::Value sum_of_products(Lowering& l, const Item& left, const Item& right, ir::Value count) {
  const DType dtype = left.type->dtype;
  const auto product = [&](ir::Value k) {
    return l.b.mul(element_of(l, left, {&k, 1}).values[0], element_of(l, right, {&k, 1}).values[0]);
  };
  return sum_of_row(l, dtype, l.number(0), count, product, [&] {
    const Row rows[] = {row_at(l, view_of(l, left), {l.number(0)}), row_at(l, view_of(l, right), {l.number(0)})};
    return call(l, RowReduction::products, dtype, count, rows);
  });
}

}  // namespace tessera::kernel
