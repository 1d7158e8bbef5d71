// What loops run over: ranges, arrays, tuples, and enumerate, zip and reversed of them.
#include <algorithm>

#include "tessera/ir/loop_index.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

namespace {

const std::vector<std::string> iterator_names{"iterated", "place"};

bool is_iterator(const Type& type) { return type.kind == TypeKind::tuple && type.names == iterator_names; }

}  // namespace

/// What is iterated over, and a list that holds the place of what comes next.
Item Lowering::lower_iter(const Node& node) {
  if (!options_.is_function) refuse(node, "iter in a kernel", "a loop");
  Item items = in_memory(node, arrange(node, "iter", {"iterable"}, 1, lower_positional(node)).args[0]);
  if (is_iterator(items.type)) return items;
  const Item place = new_list(node, "place", 1);
  append_to_list(node, place, constant(0));
  Item iterator = tuple_of({items, place});
  iterator.type.names = iterator_names;
  return iterator;
}

Item Lowering::lower_next(const Node& node) {
  const Call call = arrange(node, "next", {"iterator", "default"}, 1, lower_positional(node, true));
  if (!is_iterator(call.args[0].type)) fail(node, format("next of {}", describe(call.args[0].type)), "iter(x)");
  std::vector<Item> arguments{element(call.args[0], 0), element(call.args[0], 1)};
  if (call.given[1]) arguments.push_back(call.args[1]);
  return call_library(node, call.given[1] ? "list.next_or" : "list.next", arguments);
}

Lowering::Sequence Lowering::sequence_of(const Node& expression) {
  if (expression.kind == NodeKind::call) {
    const std::optional<Entity> callee = entity_of(expression.operands[0]);
    if (callee && callee->kind == EntityKind::builtin) {
      if (std::optional<Sequence> found = sequence_of_call(expression, callee->name)) return *found;
    }
  }
  if (expression.kind == NodeKind::attribute && expression.name == "flat") {
    const Item array = lower(expression.operands[0]);
    if (array.type.is_array_like()) return elements_in_order(expression, array, false);
  }
  return sequence_over(expression, lower(expression));
}

Lowering::Sequence Lowering::sequence_over(const Node& expression, const Item& items) {
  if (is_iterator(items.type)) {
    const Item place = element(items, 1);
    const Sequence over = counted(expression, counted_from_zero(sequence_over(expression, element(items, 0))));
    const auto next = [this, place] { return cast(list_element(place, number(0)), DType::int64); };
    // next() may take elements meanwhile: the loop's own count, in a list, tells how many.
    const Item count = new_list(expression, "count", 1);
    const ir::Value first = next();
    append_to_list(expression, count, scalar(first));
    return {.range = {first, over.range.upper, number(1)},
            .element =
                [this, &expression, over, place, count, next](ir::Value k) {
                  const ir::Value at = next();
                  store_in_list(expression, count, constant(0), scalar(b.add(k, number(1))));
                  store_in_list(expression, place, constant(0), scalar(b.add(at, number(1))));
                  return over.element(at);
                },
            .upper =
                [this, over, count, next] {
                  const ir::Value taken = b.sub(next(), cast(list_element(count, number(0)), DType::int64));
                  return b.sub(over.upper ? over.upper() : over.range.upper, taken);
                }};
  }
  if (items.type.kind == TypeKind::range)
    return {.range = range_of(items), .element = [this](ir::Value i) { return scalar(i); }};
  if (items.type.kind == TypeKind::tuple) return {.tuple = items};
  if (is_text(items.type)) return {.tuple = characters(expression, items)};
  if (items.type.kind == TypeKind::list) {
    Sequence elements{.range = {number(0), list_length(items), number(1)},
                      .element = [this, items](ir::Value k) { return list_element(items, k); }};
    if (known_.changes_lists) elements.upper = [this, items] { return list_length(items); };
    return elements;
  }
  if (!items.type.is_indexed() || items.type.axes == 0)
    refuse(expression, format("a loop over {}", describe(items.type)), "a loop over range(...), a tuple or an array");
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  return {.range = {zero, shape_of(items).values[0], one},
          .element = [this, &expression, items](ir::Value k) { return subscript(expression, items, scalar(k)); }};
}

std::optional<Lowering::Sequence> Lowering::sequence_of_call(const Node& call, std::string_view builtin) {
  if (builtin == "builtins.range")
    return Sequence{.range = lower_range(call), .element = [this](ir::Value i) { return scalar(i); }};
  if (builtin == "builtins.prange") {
    Sequence sequence{.range = lower_range(call), .element = [this](ir::Value i) { return scalar(i); }};
    sequence.is_parallel = options_.is_parallel;
    return sequence;
  }
  if (builtin == "numpy.ndindex" || builtin == "builtins.pndindex") {
    Sequence sequence = indices(call);
    sequence.is_parallel = builtin == "builtins.pndindex" && options_.is_parallel;
    return sequence;
  }
  if (builtin == "numpy.ndenumerate") {
    if (call.operands.size() != 2) fail(call, "ndenumerate takes one array");
    return elements_in_order(call, lower(call.operands[1]), true);
  }
  if (builtin == "builtins.enumerate") return enumerated(call);
  if (builtin == "builtins.zip") return zipped(call, 1);
  if (builtin == "builtins.reversed") return reversed(call);
  if (builtin == "builtins.map") return mapped(call);
  if (builtin != "cuda.literal_unroll") return std::nullopt;
  if (call.operands.size() != 2) fail(call, "literal_unroll takes one tuple");
  return sequence_of(call.operands[1]);
}

Lowering::Distances Lowering::distances_of(const Range& range) {
  const ir::Value zero = b.constant(DType::int64, 0), is_down = b.lt(range.step, zero);
  const ir::Value climb = b.sub(range.upper, range.lower);
  const ir::Value distance = b.select(is_down, b.neg(climb), climb);
  const ir::Value whole = b.select(is_before(range.lower, range.upper, range.step), distance, zero);
  const ir::Value step = b.select(is_down, b.neg(range.step), range.step);
  return {b.cast(whole, DType::uint64), b.cast(step, DType::uint64)};
}

ir::Value Lowering::count_range(const Range& range) {
  const auto is_near = [&](ir::Value bound) { return !ir::may_leave_int64(b.kernel(), bound, range.step); };
  if (is_near(range.lower) && is_near(range.upper)) return count_steps(range.lower, range.upper, range.step);
  const auto [whole, step] = distances_of(range);
  const ir::Value zero = b.zero_like(whole), one = b.constant(DType::uint64, 1);
  const ir::Value steps = b.add(b.binary(ir::Opcode::div, b.sub(whole, one), step), one);
  const ir::Value count = b.cast(b.select(b.eq(whole, zero), zero, steps), DType::int64);
  facts_.set_lower_bound(count, 0);
  return count;
}

Lowering::Sequence Lowering::counted_from_zero(Sequence sequence) {
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const Range from = sequence.range;
  if (sequence.tuple) return sequence;
  if (from.lower == zero && from.step == one) return sequence;
  return {.range = {zero, count_range(from), one}, .element = [this, from, element = sequence.element](ir::Value k) {
            return element(b.add(from.lower, b.mul(k, from.step)));
          }};
}

/// The indices of an array of some shape, in C order.
Lowering::Sequence Lowering::indices(const Node& call) {
  if (!call.names.empty()) fail(call, "a shape by name", "the shape alone, such as a.shape");
  std::vector<Item> given;
  for (size_t k = 1; k < call.operands.size(); ++k) given.push_back(lower(call.operands[k]));
  Item shape = given.size() == 1 ? given[0] : tuple_of(given);
  if (shape.type.is_scalar()) shape = tuple_of({shape});
  const auto is_extent = [](const Type& type) { return type.is_scalar() && is_integer(type.dtype); };
  if (shape.type.kind != TypeKind::tuple || !std::ranges::all_of(shape.type.elements, is_extent))
    fail(call, format("the indices of a shape that is {}", describe(shape.type)), "a shape such as a.shape or (m, n)");
  return indices_of(shape);
}

Lowering::Sequence Lowering::indices_of(const Item& shape) {
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  std::vector<ir::Value> extents;
  ir::Value count = one;
  for (size_t k = 0; k < shape.type.elements.size(); ++k) {
    extents.push_back(b.max(cast(kernel::element(shape, k), DType::int64), zero));
    count = b.mul(count, extents.back());
  }
  return {.range = {zero, count, one}, .element = [this, extents](ir::Value k) {
            std::vector<Item> index(extents.size());
            for (size_t axis = extents.size(); axis-- > 0;) {
              const bool is_first = axis == 0;
              const ir::Value at = is_first ? k : b.binary(ir::Opcode::rem, k, extents[axis]);
              facts_.set_lower_bound(at, 0);
              index[axis] = scalar(at);
              if (!is_first) k = b.binary(ir::Opcode::div, k, extents[axis]);
            }
            return tuple_of(index);
          }};
}

/// The elements of an array in C order, as numpy.ndenumerate and array.flat have them.
Lowering::Sequence Lowering::elements_in_order(const Node& node, const Item& array, bool with_indices) {
  const Item elements = in_memory(node, array);
  if (!elements.type.is_array()) fail(node, format("the elements of {}", describe(array.type)), "an array");
  const Sequence places = indices_of(shape_of(elements));
  return {.range = places.range, .element = [this, &node, elements, places, with_indices](ir::Value k) {
            const Item index = places.element(k);
            const AtNode at(*this, node);
            const Item value = element_of(elements, index.values);
            return with_indices ? tuple_of({index, value}) : value;
          }};
}

std::optional<Item> Lowering::flat_array(const Node& subscript) {
  const Node& flat = subscript.operands[0];
  if (flat.kind != NodeKind::attribute || flat.name != "flat") return std::nullopt;
  Item array = lower(flat.operands[0]);
  return array.type.is_array_like() ? std::optional(std::move(array)) : std::nullopt;
}

std::vector<ir::Value> Lowering::flat_place(const Node& node, const Item& array, const Item& index) {
  if (!index.type.is_scalar() || !is_integer(index.type.dtype))
    refuse(node, format("flat[{}]", describe(index.type)), "an integer, or a loop over .flat");
  const Sequence places = indices_of(shape_of(array));
  const ir::Value zero = b.constant(DType::int64, 0), given = cast(index, DType::int64);
  const ir::Value k = b.select(b.lt(given, zero), b.add(given, places.range.upper), given);
  raise_if(node, b.bit_or(b.lt(k, zero), b.ge(k, places.range.upper)), ExceptionNumber::index_error,
           "index {} is out of bounds for size {}", std::vector{scalar(given), scalar(places.range.upper)});
  return places.element(k).values;
}

Item Lowering::flat_element(const Node& node, const Item& array, const Item& index) {
  const std::vector<ir::Value> place = flat_place(node, array, index);
  const AtNode at(*this, node);
  return element_of(array, place);
}

Item Lowering::range_object(const Range& range) {
  Item object = tuple_of({scalar(range.lower), scalar(range.upper), scalar(range.step)});
  object.type.kind = TypeKind::range;
  return object;
}

Lowering::Sequence Lowering::enumerated(const Node& call) {
  const size_t given = call.operands.size() - 1;
  const bool named = !call.names.empty();
  if (given < 1 || given > 2 || (named && (given != 2 || call.names != std::vector<std::string>{"start"})))
    fail(call, "enumerate takes a sequence and where to start counting", "enumerate(a, start)");
  Item first = constant(0);
  if (given == 2) first = lower(call.operands[2]);
  if (!first.type.is_scalar() || !is_integer(first.type.dtype))
    fail(call.operands[2], format("enumerate starts at {}", describe(first.type)), "an integer");
  const ir::Value start = cast(first, DType::int64);
  const Sequence over = counted_from_zero(sequence_of(call.operands[1]));
  const auto count = [this, start](ir::Value k) { return scalar(b.add(start, k)); };
  if (!over.tuple)
    return {.range = over.range,
            .element = [count, over](ir::Value k) { return tuple_of({count(k), over.element(k)}); },
            .upper = over.upper};
  std::vector<Item> pairs;
  for (size_t k = 0; k < over.tuple->type.elements.size(); ++k)
    pairs.push_back(tuple_of({count(constant(static_cast<int64_t>(k)).values[0]), kernel::element(*over.tuple, k)}));
  return {.tuple = tuple_of(pairs)};
}

/// Of the arguments from `first` on.
Lowering::Sequence Lowering::zipped(const Node& call, size_t first) {
  std::vector<Sequence> all;
  for (size_t k = first; k < call.operands.size(); ++k) all.push_back(counted_from_zero(sequence_of(call.operands[k])));
  if (!call.names.empty()) refuse(call, "zip with arguments by name", "sequences alone");
  if (all.empty()) return {.tuple = tuple_of({})};
  const bool are_tuples = std::ranges::all_of(all, [](const Sequence& one) { return one.tuple.has_value(); });
  if (!are_tuples) {
    for (Sequence& one : all) one = counted(call, one);
    Range range = all[0].range;
    for (const Sequence& one : all) range.upper = b.min(range.upper, one.range.upper);
    return {.range = range, .element = [all](ir::Value k) {
              std::vector<Item> items;
              for (const Sequence& one : all) items.push_back(one.element(k));
              return tuple_of(items);
            }};
  }
  size_t count = SIZE_MAX;
  for (const Sequence& one : all) count = std::min(count, one.tuple->type.elements.size());
  std::vector<Item> rows;
  for (size_t k = 0; k < count; ++k) {
    std::vector<Item> items;
    for (const Sequence& one : all) items.push_back(kernel::element(*one.tuple, k));
    rows.push_back(tuple_of(items));
  }
  return {.tuple = tuple_of(rows)};
}

/// A tuple's elements by their number at run time, which are of one type then.
Lowering::Sequence Lowering::counted(const Node& node, const Sequence& sequence) {
  if (!sequence.tuple) return sequence;
  const Item tuple = *sequence.tuple;
  const auto count = static_cast<int64_t>(tuple.type.elements.size());
  return {.range = {number(0), number(count), number(1)},
          .element = [this, &node, tuple](ir::Value k) { return tuple_element(node, tuple, scalar(k)); }};
}

/// map: what a function gives for the elements of sequences.
Lowering::Sequence Lowering::mapped(const Node& call) {
  if (call.operands.size() < 3 || !call.names.empty())
    fail(call, "map takes a function and sequences", "map(function, values)");
  const Item function = lower(call.operands[1]);
  const bool is_single = call.operands.size() == 3;
  const Sequence over = is_single ? counted_from_zero(sequence_of(call.operands[2])) : zipped(call, 2);
  const auto apply = [this, &call, function, is_single](const Item& item) {
    std::vector<Item> arguments{item};
    if (!is_single) {
      arguments.clear();
      for (size_t k = 0; k < item.type.elements.size(); ++k) arguments.push_back(kernel::element(item, k));
    }
    return call_with(call, function, arguments);
  };
  // The function may raise between elements: tuples are not taken apart before.
  const Sequence each = counted(call, over);
  return {.range = each.range,
          .element = [apply, each](ir::Value k) { return apply(each.element(k)); },
          .upper = each.upper};
}

Lowering::Sequence Lowering::reversed(const Node& call) {
  if (call.operands.size() != 2 || !call.names.empty()) fail(call, "reversed takes one sequence", "reversed(range(n))");
  const Sequence over = counted_from_zero(sequence_of(call.operands[1]));
  const ir::Value one = b.constant(DType::int64, 1);
  if (!over.tuple) return {.range = {b.sub(over.range.upper, one), b.neg(one), b.neg(one)}, .element = over.element};
  std::vector<Item> items;
  for (size_t k = over.tuple->type.elements.size(); k-- > 0;) items.push_back(kernel::element(*over.tuple, k));
  return {.tuple = tuple_of(items)};
}

Lowering::Range Lowering::range_of(const Item& object) {
  return {object.values[0], object.values[1], object.values[2]};
}

}  // namespace tessera::kernel
