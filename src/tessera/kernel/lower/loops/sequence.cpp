// What loops run over: ranges, arrays, tuples, and enumerate, zip and reversed of them.
#include "tessera/kernel/lower/loops/sequence.h"

#include <algorithm>

#include "tessera/ir/loop_index.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/loops/loop.h"
#include "tessera/kernel/lower/loops/nditer.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/slice.h"
#include "tessera/kernel/values/characters/character_type.h"
#include "tessera/kernel/values/generator/generator.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/text/text.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

const std::vector<std::string> iterator_names{"iterated", "place"};

bool is_iterator(const Type& type) { return type->kind == TypeKind::tuple && type->names == iterator_names; }

/// A tuple's elements by their number at run time, which are of one type then.
Sequence counted(Lowering& l, const Node& node, const Sequence& sequence) {
  if (!sequence.tuple) return sequence;
  const Item tuple = *sequence.tuple;
  const auto count = static_cast<int64_t>(tuple.type->elements.size());
  return {.range = {l.number(0), l.number(count), l.number(1)},
          .element = [&l, &node, tuple](ir::Value k) { return tuple_element(l, node, tuple, l.scalar(k)); }};
}

Sequence sequence_over(Lowering& l, const Node& expression, const Item& items) {
  ir::Builder& b = l.b;
  if (is_iterator(items.type)) {
    const Item place = element(items, 1);
    const Sequence over = counted(l, expression, counted_from_zero(l, sequence_over(l, expression, element(items, 0))));
    const auto next = [&l, place] { return l.cast(list_element(l, place, l.number(0)), DType::int64); };
    // next() may take elements meanwhile: the loop's own count, in a list, tells how many.
    const Item count = l.lists.new_list(expression, "count", 1);
    const ir::Value first = next();
    l.lists.append(expression, count, l.scalar(first));
    return {.range = {first, over.range.upper, l.number(1)},
            .element =
                [&l, &expression, over, place, count, next](ir::Value k) {
                  const ir::Value at = next();
                  store_in_list(l, expression, count, l.constant(0), l.scalar(l.b.add(k, l.number(1))));
                  store_in_list(l, expression, place, l.constant(0), l.scalar(l.b.add(at, l.number(1))));
                  return over.element(at);
                },
            .upper =
                [&l, over, count, next] {
                  const ir::Value taken = l.b.sub(next(), l.cast(list_element(l, count, l.number(0)), DType::int64));
                  return l.b.sub(over.upper ? over.upper() : over.range.upper, taken);
                }};
  }
  if (const std::optional<Sequence> found = ask_values(&ValueRules::iterate, l, expression, items)) return *found;
  if (items.type->kind == TypeKind::range)
    return {.range = range_of(items), .element = [&l](ir::Value i) { return l.scalar(i); }};
  if (items.type->kind == TypeKind::tuple) return {.tuple = items};
  if (!items.type.is_indexed() || items.type->axes == 0)
    l.refuse(expression, format("a loop over {}", describe(items.type)), "a loop over range(...), a tuple or an array");
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  return {.range = {zero, shape_of(l, items).values[0], one},
          .element = [&l, &expression, items](ir::Value k) { return subscript(l, expression, items, l.scalar(k)); }};
}

/// Each goes on where those before it have.
ir::Value advance_all(Lowering& l, std::span<const Sequence> all, ir::Value k) {
  ir::Builder& b = l.b;
  const auto has = [&](const Sequence& one) { return one.advance ? one.advance(k) : b.lt(k, one.range.upper); };
  ir::Value holds = has(all[0]);
  for (const Sequence& one : all.subspan(1))
    holds = b.if_(
        holds, [&](auto) { return std::vector{has(one)}; },
        [&](auto) { return std::vector{b.constant(Scalar::of_bool(false))}; })[0];
  return holds;
}

/// Of the arguments from `first` on.
Sequence zipped(Lowering& l, const Node& call, size_t first) {
  std::vector<Sequence> all;
  for (size_t k = first; k < call.operands.size(); ++k)
    all.push_back(counted_from_zero(l, sequence_of(l, call.operands[k])));
  if (!call.names.empty()) l.refuse(call, "zip with arguments by name", "sequences alone");
  if (all.empty()) return {.tuple = tuple_of({})};
  const bool are_tuples = std::ranges::all_of(all, [](const Sequence& one) { return one.tuple.has_value(); });
  if (!are_tuples) {
    for (Sequence& one : all) one = counted(l, call, one);
    Range range = all[0].range;
    for (const Sequence& one : all) range.upper = l.b.min(range.upper, one.range.upper);
    Sequence made{.range = range, .element = [all](ir::Value k) {
                    std::vector<Item> items;
                    for (const Sequence& one : all) items.push_back(one.element(k));
                    return tuple_of(items);
                  }};
    if (std::ranges::any_of(all, [](const Sequence& one) { return one.advance != nullptr; }))
      made.advance = [&l, all](ir::Value k) { return advance_all(l, all, k); };
    if (std::ranges::any_of(all, [](const Sequence& one) { return one.close != nullptr; }))
      made.close = [all] {
        for (const Sequence& one : all)
          if (one.close) one.close();
      };
    return made;
  }
  size_t count = SIZE_MAX;
  for (const Sequence& one : all) count = std::min(count, one.tuple->type->elements.size());
  std::vector<Item> rows;
  for (size_t k = 0; k < count; ++k) {
    std::vector<Item> items;
    for (const Sequence& one : all) items.push_back(kernel::element(*one.tuple, k));
    rows.push_back(tuple_of(items));
  }
  return {.tuple = tuple_of(rows)};
}

}  // namespace

Sequence indices_of(Lowering& l, const Item& shape) {
  ir::Builder& b = l.b;
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  std::vector<ir::Value> extents;
  ir::Value count = one;
  for (size_t k = 0; k < shape.type->elements.size(); ++k) {
    extents.push_back(b.max(l.cast(kernel::element(shape, k), DType::int64), zero));
    count = b.mul(count, extents.back());
  }
  return {.range = {zero, count, one}, .element = [&l, extents](ir::Value k) {
            std::vector<Item> index(extents.size());
            for (size_t axis = extents.size(); axis-- > 0;) {
              const bool is_first = axis == 0;
              const ir::Value at = is_first ? k : l.b.binary(ir::Opcode::rem, k, extents[axis]);
              l.facts.set_lower_bound(at, 0);
              index[axis] = l.scalar(at);
              if (!is_first) k = l.b.binary(ir::Opcode::div, k, extents[axis]);
            }
            return tuple_of(index);
          }};
}

Item shape_of_arguments(Lowering& l, const Node& call) {
  if (!call.names.empty()) l.fail(call, "a shape by name", "the shape alone, such as a.shape");
  std::vector<Item> given;
  for (size_t k = 1; k < call.operands.size(); ++k) given.push_back(l.lower(call.operands[k]));
  Item shape = given.size() == 1 ? given[0] : tuple_of(given);
  if (shape.type.is_scalar()) shape = tuple_of({shape});
  const auto is_extent = [](const Type& type) { return type.is_scalar() && is_integer(type->dtype); };
  if (shape.type->kind != TypeKind::tuple || !std::ranges::all_of(shape.type->elements, is_extent))
    l.fail(call, format("the indices of a shape that is {}", describe(shape.type)),
           "a shape such as a.shape or (m, n)");
  return shape;
}

Sequence elements_in_order(Lowering& l, const Node& node, const Item& array, bool with_indices) {
  const Item elements = l.in_memory(node, array);
  const bool is_array = elements.type.is_array();
  if (!is_array && (!elements.type.is_indexed() || elements.type->axes == 0))
    l.fail(node, format("the elements of {}", describe(array.type)), "an array");
  const Sequence places = indices_of(l, shape_of(l, elements));
  return {.range = places.range, .element = [&l, &node, elements, is_array, places, with_indices](ir::Value k) {
            const Item index = places.element(k);
            const AtNode at(l, node);
            const Item value = is_array ? element_of(l, elements, index.values) : subscript(l, node, elements, index);
            return with_indices ? tuple_of({index, value}) : value;
          }};
}

namespace {

/// map: what a function gives for the elements of sequences.
Sequence mapped(Lowering& l, const Node& call) {
  if (call.operands.size() < 3 || !call.names.empty())
    l.fail(call, "map takes a function and sequences", "map(function, values)");
  const Item function = l.lower(call.operands[1]);
  const bool is_single = call.operands.size() == 3;
  const Sequence over = is_single ? counted_from_zero(l, sequence_of(l, call.operands[2])) : zipped(l, call, 2);
  const auto apply = [&l, &call, function, is_single](const Item& item) {
    std::vector<Item> arguments{item};
    if (!is_single) {
      arguments.clear();
      for (size_t k = 0; k < item.type->elements.size(); ++k) arguments.push_back(kernel::element(item, k));
    }
    return call_with(l, call, function, arguments);
  };
  // The function may raise between elements: tuples are not taken apart before.
  const Sequence each = counted(l, call, over);
  return {.range = each.range,
          .element = [apply, each](ir::Value k) { return apply(each.element(k)); },
          .upper = each.upper,
          .advance = each.advance,
          .close = each.close};
}

Sequence reversed(Lowering& l, const Node& call) {
  ir::Builder& b = l.b;
  if (call.operands.size() != 2 || !call.names.empty())
    l.fail(call, "reversed takes one sequence", "reversed(range(n))");
  const Sequence over = counted_from_zero(l, sequence_of(l, call.operands[1]));
  if (over.advance) l.refuse(call, "reversed of a generator", "reversed(list(...))");
  const ir::Value one = b.constant(DType::int64, 1);
  if (!over.tuple) return {.range = {b.sub(over.range.upper, one), b.neg(one), b.neg(one)}, .element = over.element};
  std::vector<Item> items;
  for (size_t k = over.tuple->type->elements.size(); k-- > 0;) items.push_back(kernel::element(*over.tuple, k));
  return {.tuple = tuple_of(items)};
}

Sequence enumerated(Lowering& l, const Node& call) {
  const size_t given = call.operands.size() - 1;
  const bool named = !call.names.empty();
  if (given < 1 || given > 2 || (named && (given != 2 || call.names != std::vector<std::string>{"start"})))
    l.fail(call, "enumerate takes a sequence and where to start counting", "enumerate(a, start)");
  Item first = l.constant(0);
  if (given == 2) first = l.lower(call.operands[2]);
  if (!first.type.is_scalar() || !is_integer(first.type->dtype))
    l.fail(call.operands[2], format("enumerate starts at {}", describe(first.type)), "an integer");
  const ir::Value start = l.cast(first, DType::int64);
  const Sequence over = counted_from_zero(l, sequence_of(l, call.operands[1]));
  const auto count = [&l, start](ir::Value k) { return l.scalar(l.b.add(start, k)); };
  if (!over.tuple)
    return {.range = over.range,
            .element = [count, over](ir::Value k) { return tuple_of({count(k), over.element(k)}); },
            .upper = over.upper,
            .advance = over.advance,
            .close = over.close};
  std::vector<Item> pairs;
  for (size_t k = 0; k < over.tuple->type->elements.size(); ++k)
    pairs.push_back(tuple_of({count(l.constant(static_cast<int64_t>(k)).values[0]), kernel::element(*over.tuple, k)}));
  return {.tuple = tuple_of(pairs)};
}

std::optional<Sequence> sequence_of_call(Lowering& l, const Node& call, std::string_view builtin) {
  if (builtin == "builtins.range")
    return Sequence{.range = lower_range(l, call), .element = [&l](ir::Value i) { return l.scalar(i); }};
  if (builtin == "builtins.prange") {
    Sequence sequence{.range = lower_range(l, call), .element = [&l](ir::Value i) { return l.scalar(i); }};
    sequence.is_parallel = l.options.is_parallel;
    return sequence;
  }
  if (builtin == "numpy.ndindex" || builtin == "builtins.pndindex") {
    Sequence sequence = indices_of(l, shape_of_arguments(l, call));
    sequence.is_parallel = builtin == "builtins.pndindex" && l.options.is_parallel;
    return sequence;
  }
  if (builtin == "numpy.ndenumerate") {
    if (call.operands.size() != 2) l.fail(call, "ndenumerate takes one array");
    return elements_in_order(l, call, l.lower(call.operands[1]), true);
  }
  if (builtin == "numpy.nditer") return elements_of_nditer(l, call);
  if (builtin == "builtins.enumerate") return enumerated(l, call);
  if (builtin == "builtins.zip") return zipped(l, call, 1);
  if (builtin == "builtins.reversed") return reversed(l, call);
  if (builtin == "builtins.map") return mapped(l, call);
  if (builtin == "builtins.filter") return sequence_over(l, call, iterated(l, call, true));
  if (builtin != "cuda.literal_unroll") return std::nullopt;
  if (call.operands.size() != 2) l.fail(call, "literal_unroll takes one tuple");
  return sequence_of(l, call.operands[1]);
}

}  // namespace

/// What is iterated over, and a list that holds the place of what comes next.
Item lower_iter(Lowering& l, const Node& node) {
  if (!l.options.is_function) l.refuse(node, "iter in a kernel", "a loop");
  Item items = l.in_memory(node, arrange(l, node, "iter", {"iterable"}, 1, lower_positional(l, node)).args[0]);
  if (is_iterator(items.type) || items.type->kind == TypeKind::generator) return items;
  const Item place = l.lists.new_list(node, "place", 1);
  l.lists.append(node, place, l.constant(0));
  return tuple_of({items, place}, iterator_names);
}

std::optional<Item> zip_of_tuples(Lowering& l, const Node& node, const std::vector<Item>& given) {
  const auto is_fixed = [](const Item& item) {
    return is_text(item.type) || (item.type->kind == TypeKind::tuple && !item.type->is_list && !item.type->is_dict);
  };
  if (!l.options.is_function || given.empty() || !std::ranges::all_of(given, is_fixed)) return {};
  std::vector<Item> columns;
  size_t count = SIZE_MAX;
  for (const Item& item : given) {
    if (is_iterator(item.type)) return {};
    columns.push_back(is_text(item.type) ? characters(l, node, item) : item);
    count = std::min(count, columns.back().type->elements.size());
  }
  std::vector<Item> rows;
  for (size_t k = 0; k < count; ++k) {
    std::vector<Item> row;
    for (const Item& column : columns) row.push_back(element(column, k));
    rows.push_back(tuple_of(row));
  }
  const Item place = l.lists.new_list(node, "place", 1);
  l.lists.append(node, place, l.constant(0));
  return tuple_of({tuple_of(rows), place}, iterator_names);
}

Item lower_next(Lowering& l, const Node& node) {
  const Call call = arrange(l, node, "next", {"iterator", "default"}, 1, lower_positional(l, node, true));
  if (call.args[0].type->kind == TypeKind::generator) {
    if (!call.given[1]) return call_library(l, node, "iterator.next", {call.args[0]});
    return call_library(l, node, "iterator.next_or", {call.args[0], call.args[1]});
  }
  if (!is_iterator(call.args[0].type)) l.fail(node, format("next of {}", describe(call.args[0].type)), "iter(x)");
  std::vector<Item> arguments{element(call.args[0], 0), element(call.args[0], 1)};
  if (call.given[1]) arguments.push_back(call.args[1]);
  return call_library(l, node, call.given[1] ? "list.next_or" : "list.next", arguments);
}

Sequence sequence_over_counted(Lowering& l, const Node& node, const Item& items) {
  return counted(l, node, counted_from_zero(l, sequence_over(l, node, items)));
}

Sequence sequence_of(Lowering& l, const Node& expression) {
  if (expression.kind == NodeKind::call) {
    const std::optional<Entity> callee = entity_of(l, expression.operands[0]);
    if (callee && callee->kind == EntityKind::builtin) {
      if (std::optional<Sequence> found = sequence_of_call(l, expression, callee->name)) return *found;
    }
    if (const std::optional<Item> made = l.generators.make_for_loop(expression))
      return sequence_over(l, expression, *made);
  }
  if (expression.kind == NodeKind::attribute && expression.name == "flat") {
    const Item array = l.lower(expression.operands[0]);
    if (array.type.is_array_like() || is_characters(array.type)) return elements_in_order(l, expression, array, false);
  }
  return sequence_over(l, expression, l.lower(expression));
}

Distances distances_of(Lowering& l, const Range& range) {
  ir::Builder& b = l.b;
  const ir::Value zero = b.constant(DType::int64, 0), is_down = b.lt(range.step, zero);
  const ir::Value climb = b.sub(range.upper, range.lower);
  const ir::Value distance = b.select(is_down, b.neg(climb), climb);
  const ir::Value whole = b.select(is_before(l, range.lower, range.upper, range.step), distance, zero);
  const ir::Value step = b.select(is_down, b.neg(range.step), range.step);
  return {b.cast(whole, DType::uint64), b.cast(step, DType::uint64)};
}

ir::Value count_range(Lowering& l, const Range& range) {
  ir::Builder& b = l.b;
  const auto is_near = [&](ir::Value bound) { return !ir::may_leave_int64(b.kernel(), bound, range.step); };
  if (is_near(range.lower) && is_near(range.upper)) return count_steps(l, range.lower, range.upper, range.step);
  const auto [whole, step] = distances_of(l, range);
  const ir::Value zero = b.zero_like(whole), one = b.constant(DType::uint64, 1);
  const ir::Value steps = b.add(b.binary(ir::Opcode::div, b.sub(whole, one), step), one);
  const ir::Value count = b.cast(b.select(b.eq(whole, zero), zero, steps), DType::int64);
  l.facts.set_lower_bound(count, 0);
  return count;
}

Sequence counted_from_zero(Lowering& l, Sequence sequence) {
  ir::Builder& b = l.b;
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const Range from = sequence.range;
  if (sequence.tuple || sequence.advance) return sequence;
  if (from.lower == zero && from.step == one) return sequence;
  return {.range = {zero, count_range(l, from), one}, .element = [&l, from, element = sequence.element](ir::Value k) {
            return element(l.b.add(from.lower, l.b.mul(k, from.step)));
          }};
}

std::optional<Item> flat_array(Lowering& l, const Node& subscript) {
  const Node& flat = subscript.operands[0];
  if (flat.kind != NodeKind::attribute || flat.name != "flat") return std::nullopt;
  Item array = l.lower(flat.operands[0]);
  return array.type.is_array_like() ? std::optional(std::move(array)) : std::nullopt;
}

std::vector<ir::Value> flat_place(Lowering& l, const Node& node, const Item& array, const Item& index) {
  ir::Builder& b = l.b;
  if (!index.type.is_scalar() || !is_integer(index.type->dtype))
    l.refuse(node, format("flat[{}]", describe(index.type)), "an integer, or a loop over .flat");
  const Sequence places = indices_of(l, shape_of(l, array));
  const ir::Value zero = b.constant(DType::int64, 0), given = l.cast(index, DType::int64);
  const ir::Value k = b.select(b.lt(given, zero), b.add(given, places.range.upper), given);
  l.failures.raise_if(node, b.bit_or(b.lt(k, zero), b.ge(k, places.range.upper)), ExceptionNumber::index_error,
                      "index {} is out of bounds for size {}",
                      std::vector{l.scalar(given), l.scalar(places.range.upper)});
  return places.element(k).values;
}

Item flat_element(Lowering& l, const Node& node, const Item& array, const Item& index) {
  const std::vector<ir::Value> place = flat_place(l, node, array, index);
  const AtNode at(l, node);
  return element_of(l, array, place);
}

Item range_object(Lowering& l, const Range& range) {
  return joined_of({.kind = TypeKind::range}, {l.scalar(range.lower), l.scalar(range.upper), l.scalar(range.step)});
}

Range range_of(const Item& object) { return {object.values[0], object.values[1], object.values[2]}; }

}  // namespace tessera::kernel
