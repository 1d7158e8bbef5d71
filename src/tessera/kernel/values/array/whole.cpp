// Whole arrays, element by element: loops over them, and what must be computed before it is stored.
#include "tessera/kernel/values/array/whole.h"

#include <algorithm>
#include <utility>

#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/date/date.h"

namespace tessera::kernel {

namespace {

/// The arrays whose elements an item is computed from.
void collect_sources(const Item& item, std::vector<Item>& sources) {
  if (item.type->kind == TypeKind::computed && !item.computed->operands.empty())
    for (const Item& operand : item.computed->operands) collect_sources(operand, sources);
  else if (item.type.is_array_like())
    sources.push_back(item);
}

/// The call that made the array which begins here, where that shows.
ir::Value allocation_of(const ir::Kernel& kernel, ir::Value begin) {
  while (kernel.instructions[begin].op == ir::Opcode::add) begin = kernel.operands(begin)[0];
  const ir::Instruction& made = kernel.instructions[begin];
  const bool may_share = made.imm == static_cast<uint32_t>(HostFunction::shared_word);
  return made.op == ir::Opcode::call_host && !may_share ? begin : ir::no_value;
}

bool is_same(const ArrayView& x, const ArrayView& y) {
  const auto has_same_axis = [](const ArrayView::Axis& a, const ArrayView::Axis& b) {
    return a.step == b.step && a.extent == b.extent;
  };
  return x.bases.size() == 1 && y.bases.size() == 1 && x.bases[0].array->id == y.bases[0].array->id &&
         x.bases[0].begins == y.bases[0].begins && x.bases[0].kept == y.bases[0].kept &&
         std::ranges::equal(x.axes, y.axes, has_same_axis);
}

}  // namespace

void each_place_in_order(Lowering& l, std::span<const ir::Value> from, std::span<const ir::Value> to,
                         const PlaceBody& body) {
  ir::Builder& b = l.b;
  std::vector<ir::Value> at;
  const ir::Value one = b.constant(DType::int64, 1);
  const std::function<void()> along = [&] {
    if (at.size() == from.size()) return body(at);
    b.for_(from[at.size()], to[at.size()], one, {}, [&](std::span<const ir::Value> args) {
      l.facts.set_lower_bound(args[0], l.facts.lower_bound(from[at.size()]).value_or(INT64_MIN));
      at.push_back(args[0]);
      along();
      at.pop_back();
      return std::vector<ir::Value>{};
    });
  };
  along();
}

void each_place(Lowering& l, std::span<const ir::Value> from, std::span<const ir::Value> to, const PlaceBody& body) {
  if (!l.parallel.runs_at_once() || from.empty()) return each_place_in_order(l, from, to, body);
  l.parallel.note({ParallelNote::Kind::whole_array, l.frame->statement->place.line});
  l.parallel.each_chunk(from, to, [&](ir::Value, std::span<const ir::Value> begin, std::span<const ir::Value> end) {
    each_place_in_order(l, begin, end, body);
  });
}

std::vector<ir::Value> uniformly(Lowering& l, const Item& value, std::span<const ir::Value> extents,
                                 const std::function<std::vector<ir::Value>()>& emit) {
  ir::Builder& b = l.b;
  std::vector<Item> sources;
  collect_sources(value, sources);
  ir::Value is_uniform = b.constant(Scalar::of_bool(true));
  for (const Item& source : sources) {
    const std::vector<ir::Value> shape = shape_of(l, source).values;
    for (size_t k = 0; k < shape.size(); ++k) {
      const ir::Value extent = extents[extents.size() - shape.size() + k];
      if (shape[k] != extent) is_uniform = b.bit_and(is_uniform, b.eq(shape[k], extent));
    }
  }
  const auto emit_where = [&](bool uniform) {
    const bool before = std::exchange(l.nothing_repeats, uniform);
    std::vector<ir::Value> values = emit();
    l.nothing_repeats = before;
    return values;
  };
  if (const Scalar* known = l.constant_of(l.scalar(is_uniform))) return emit_where(known->bytes[0] != 0);
  return b.if_(is_uniform, [&](auto) { return emit_where(true); }, [&](auto) { return emit_where(false); });
}

/// Whether an element that is stored may be read afterwards. `by_elements`: each is computed from those at its place.
bool may_clash(Lowering& l, const ArrayView& source, const ArrayView& target, bool by_elements) {
  ir::Builder& b = l.b;
  if (by_elements && is_same(source, target)) return false;
  const auto clash = [&](const ArrayView::Base& read, const ArrayView::Base& written) {
    const Type& from = read.array;
    const Type& to = written.array;
    if (from->kind != to->kind || from->is_constant) return false;
    const int read_from = l.memory.argument_of(from), written_to = l.memory.argument_of(to);
    if (read_from >= 0 && read_from == written_to) return true;
    if (from->is_heap && from->id == to->id) {
      const ir::Value one = allocation_of(b.kernel(), read.begins[0]);
      const ir::Value other = allocation_of(b.kernel(), written.begins[0]);
      return one == ir::no_value || other == ir::no_value || one == other;
    }
    if (from->id == to->id) return true;
    // Arrays of the function's own, of another dtype, are views of one memory where one of them is a view.
    if (from->is_heap && to->is_heap && read_from < 0 && written_to < 0)
      return allocation_of(b.kernel(), read.begins[0]) == ir::no_value ||
             allocation_of(b.kernel(), written.begins[0]) == ir::no_value;
    if (from->kind != TypeKind::buffer || read_from < 0 || written_to < 0) return false;
    if (!l.options.may_overlap && !l.known->assumes_distinct) l.known.add().assumes_distinct = true;
    return l.options.may_overlap;
  };
  return std::ranges::any_of(source.bases, [&](const ArrayView::Base& read) {
    return std::ranges::any_of(target.bases, [&](const auto& written) { return clash(read, written); });
  });
}

/// The value, in memory of its own where it is computed from elements that the store would change.
Item apart_from(Lowering& l, const Node& node, const Item& value, const ArrayView& target) {
  if (!l.options.is_function) return value;
  std::vector<Item> sources;
  collect_sources(value, sources);
  const auto clashes = [&](const Item& source) {
    return source.type.is_array() && may_clash(l, view_of(l, source), target, true);
  };
  if (std::ranges::none_of(sources, clashes)) return value;
  return value.type->kind == TypeKind::computed ? materialise(l, node, value) : copy_of(l, node, value);
}

Item copy_of(Lowering& l, const Node& node, const Item& array) {
  const Item copy = with_unit(allocate(l, node, array.type->dtype, shape_of(l, array).values, false), array.type->unit);
  store_each(l, node, view_of(l, copy), array);
  return copy;
}

/// A number, or an array that is broadcast, whose elements the stores do not change.
void store_each(Lowering& l, const Node& node, const ArrayView& view, const Item& value) {
  std::vector<ir::Value> extents;
  for (const ArrayView::Axis& axis : view.axes) extents.push_back(axis.extent);
  uniformly(l, value, extents, [&] {
    each_index(l, extents, [&](std::span<const ir::Value> at) {
      store(l, node, element_at(l, view, at), repeated_element(l, value, at));
    });
    return std::vector<ir::Value>{};
  });
}

}  // namespace tessera::kernel
