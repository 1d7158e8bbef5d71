// What loops of generators run over: a value that is kept while the generator waits, and the place in it.
#include <algorithm>
#include <array>

#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/loops/loop.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/generator/generator.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

const std::vector<std::string> enumerated_names{"enumerated#", "first#"};
const std::vector<std::string> indices_names{"indices#"}, flat_names{"flat#"}, numbered_names{"numbered#"};

bool has_names(const Type& type, std::string_view first) {
  return type->kind == TypeKind::tuple && !type->names.empty() && type->names[0] == first;
}

/// zip, of which each name is another.
std::vector<std::string> zipped_names(size_t count) {
  std::vector<std::string> names;
  for (size_t k = 0; k < count; ++k) names.push_back(format("zipped#{}", k));
  return names;
}

bool is_zipped(const Type& type) { return has_names(type, "zipped#0"); }

Item filtered(Lowering& l, const Node& call, bool is_local) {
  if (call.operands.size() != 3 || !call.names.empty())
    l.fail(call, "filter takes a function and a sequence", "filter(function, values)");
  const Item function = l.lower_optional(call.operands[1]), over = iterated(l, call.operands[2], is_local);
  const bool is_none = function.type->kind == TypeKind::none;
  const auto filter = library_function(l, call, is_none ? "iterator.filter_true" : "iterator.filter");
  std::vector<Item> arguments{over};
  if (!is_none) arguments.insert(arguments.begin(), function);
  return l.generators.make(call, *filter, arguments, is_local && !l.called.is_inside());
}

Item mapped(Lowering& l, const Node& call, bool is_local) {
  if (call.operands.size() < 3 || call.operands.size() > 5 || !call.names.empty())
    l.fail(call, "map takes a function and one to three sequences", "map(function, values)");
  std::vector<Item> arguments{l.lower(call.operands[1])};
  for (const Node& over : std::span(call.operands).subspan(2)) arguments.push_back(iterated(l, over, is_local));
  const auto map = library_function(l, call, format("iterator.map{}", arguments.size() - 1));
  return l.generators.make(call, *map, arguments, is_local && !l.called.is_inside());
}

/// The name of the builtin that the expression calls.
std::string called_builtin(const Lowering& l, const Node& expression) {
  if (expression.kind != NodeKind::call) return "";
  const std::optional<Entity> callee = entity_of(l, expression.operands[0]);
  return callee && callee->kind == EntityKind::builtin ? callee->name : "";
}

bool is_iterator_over(const Type& type) { return has_names(type, "iterated"); }

/// Of what has a length, arrays' elements in C order and indices of shapes among it.
Sequence counted_elements(Lowering& l, const Node& node, const Item& over) {
  if (has_names(over.type, indices_names[0])) return indices_of(l, element(over, 0));
  if (has_names(over.type, flat_names[0])) return elements_in_order(l, node, element(over, 0), false);
  if (has_names(over.type, numbered_names[0])) return elements_in_order(l, node, element(over, 0), true);
  return sequence_over_counted(l, node, over);
}

}  // namespace

ir::Value has_element(Lowering& l, const Node& node, const Item& over, ir::Value at) {
  ir::Builder& b = l.b;
  if (over.type->kind == TypeKind::generator) return l.generators.advance(node, over);
  if (has_names(over.type, enumerated_names[0])) return has_element(l, node, element(over, 0), at);
  if (is_zipped(over.type)) {
    ir::Value holds = has_element(l, node, element(over, 0), at);
    for (size_t k = 1; k < over.type->elements.size(); ++k)
      holds = b.if_(
          holds, [&](auto) { return std::vector{has_element(l, node, element(over, k), at)}; },
          [&](auto) { return std::vector{b.constant(Scalar::of_bool(false))}; })[0];
    return holds;
  }
  if (is_iterator_over(over.type)) {
    const Sequence inner = sequence_over_counted(l, node, element(over, 0));
    return b.lt(l.cast(list_element(l, element(over, 1), l.number(0)), DType::int64), inner.range.upper);
  }
  const Sequence sequence = counted_elements(l, node, over);
  return b.lt(at, sequence.upper ? sequence.upper() : sequence.range.upper);
}

Item element_at(Lowering& l, const Node& node, const Item& over, ir::Value at) {
  if (over.type->kind == TypeKind::generator) return l.generators.yielded(node, over);
  if (has_names(over.type, enumerated_names[0])) {
    const ir::Value number = l.b.add(element(over, 1).values[0], at);
    return tuple_of({l.scalar(number), element_at(l, node, element(over, 0), at)});
  }
  if (is_zipped(over.type)) {
    std::vector<Item> items;
    for (size_t k = 0; k < over.type->elements.size(); ++k) items.push_back(element_at(l, node, element(over, k), at));
    return tuple_of(items);
  }
  if (is_iterator_over(over.type)) return call_library(l, node, "list.next", {element(over, 0), element(over, 1)});
  return counted_elements(l, node, over).element(at);
}

bool is_iterated(const Type& type) {
  return has_names(type, enumerated_names[0]) || has_names(type, indices_names[0]) || has_names(type, flat_names[0]) ||
         has_names(type, numbered_names[0]) || is_zipped(type);
}

Item iterated(Lowering& l, const Node& expression, bool is_local) {
  const std::string builtin = called_builtin(l, expression);
  const size_t given = expression.operands.size() - 1;
  if (builtin == "builtins.range" || builtin == "builtins.prange") return range_object(l, lower_range(l, expression));
  if (builtin == "builtins.filter") return filtered(l, expression, is_local);
  if (builtin == "builtins.map") return mapped(l, expression, is_local);
  if (builtin == "builtins.enumerate" && given >= 1 && given <= 2) {
    const Item first =
        given == 2 ? l.scalar(l.lower_scalar(expression.operands[2], "the start of enumerate")) : l.constant(0);
    return tuple_of({iterated(l, expression.operands[1], is_local), l.scalar(l.cast(first, DType::int64))},
                    enumerated_names);
  }
  if (builtin == "builtins.zip" && expression.names.empty() && given > 0) {
    std::vector<Item> all;
    for (size_t k = 0; k < given; ++k) all.push_back(iterated(l, expression.operands[k + 1], is_local));
    return tuple_of(all, zipped_names(given));
  }
  if (builtin == "numpy.ndindex" || builtin == "builtins.pndindex")
    return tuple_of({shape_of_arguments(l, expression)}, indices_names);
  if (builtin == "numpy.ndenumerate" && given == 1)
    return tuple_of({l.in_memory(expression, l.lower(expression.operands[1]))}, numbered_names);
  if (expression.kind == NodeKind::attribute && expression.name == "flat")
    if (const Item array = l.lower(expression.operands[0]); array.type.is_array_like())
      return tuple_of({l.in_memory(expression, array)}, flat_names);
  if (is_local && expression.kind == NodeKind::call)
    if (const std::optional<Item> made = l.generators.make_for_loop(expression)) return *made;
  const Item items = l.in_memory(expression, l.lower(expression));
  return is_written_list(items) && !is_mixed_list(items.type) ? list_of(l, expression, items, "i") : items;
}

bool asks_generator(Lowering& l, const Node& expression) {
  if (expression.kind == NodeKind::name) {
    const int variable = l.frame->liveness.find(expression.name);
    const Type* type = variable < 0 ? nullptr : type_of(l, variable);
    return type && (*type)->kind == TypeKind::generator;
  }
  const std::string builtin = called_builtin(l, expression);
  if (builtin == "builtins.filter" || builtin == "builtins.map") return true;
  if (builtin == "builtins.enumerate" || builtin == "builtins.zip")
    return std::ranges::any_of(std::span(expression.operands).subspan(1),
                               [&](const Node& one) { return asks_generator(l, one); });
  return expression.kind == NodeKind::call && l.generators.find(expression) != nullptr;
}

Item lower_iterated(Lowering& l, const Node& node) { return iterated(l, node.operands[1], false); }

Item lower_has_element(Lowering& l, const Node& node) {
  const Item over = l.lower(node.operands[1]);
  return l.scalar(has_element(l, node, over, l.lower_scalar(node.operands[2], "a place")));
}

Item lower_element_at(Lowering& l, const Node& node) {
  const Item over = l.lower(node.operands[1]);
  return element_at(l, node, over, l.lower_scalar(node.operands[2], "a place"));
}

namespace {

void append_closing(Lowering& l, const Item& items, std::vector<Item>& found) {
  if (items.type->kind == TypeKind::generator && l.generators.closes(items)) found.push_back(items);
  if (!is_iterated(items.type)) return;
  for (size_t k = 0; k < items.type->elements.size(); ++k) append_closing(l, element(items, k), found);
}

/// What an early end of a loop over this does, if anything.
std::function<void()> closing(Lowering& l, const Node& node, const Item& items) {
  std::vector<Item> generators;
  append_closing(l, items, generators);
  if (generators.empty()) return {};
  return [&l, &node, generators] {
    for (const Item& generator : generators) l.generators.close(node, generator);
  };
}

/// What functions give for the values of a generator; nothing for those that take none.
std::optional<Item> call_with_generator(Lowering& l, const Node& node, std::string_view builtin) {
  static constexpr std::array<std::string_view, 6> own{"builtins.sum", "builtins.any", "builtins.all",
                                                       "builtins.min", "builtins.max", "numpy.sum"};
  const size_t given = node.operands.size() - 1;
  if (std::ranges::find(own, builtin) == own.end() || given < 1 || given > 2 || !node.names.empty()) return {};
  const bool sums = builtin.ends_with("sum");
  if ((given == 2 && !sums) || !asks_generator(l, node.operands[1])) return {};
  std::vector<Item> arguments{iterated(l, node.operands[1], true)};
  if (sums) arguments.push_back(given == 2 ? l.lower(node.operands[2]) : l.constant(0));
  return call_library(l, node, "iterator" + std::string(builtin.substr(builtin.find('.'))), arguments);
}

std::optional<Sequence> sequence_over_generator(Lowering& l, const Node& node, const Item& items) {
  if (items.type->kind == TypeKind::generator)
    return Sequence{.range = {l.number(0), l.number(INT64_MAX), l.number(1)},
                    .element = [&l, &node, items](ir::Value) { return l.generators.yielded(node, items); },
                    .advance = [&l, &node, items](ir::Value) { return l.generators.advance(node, items); },
                    .close = closing(l, node, items)};
  if (!is_iterated(items.type)) return {};
  return Sequence{.range = {l.number(0), l.number(INT64_MAX), l.number(1)},
                  .element = [&l, &node, items](ir::Value k) { return element_at(l, node, items, k); },
                  .advance = [&l, &node, items](ir::Value k) { return has_element(l, node, items, k); },
                  .close = closing(l, node, items)};
}

std::optional<Item> call_of_generators(Lowering& l, const Node& node, std::string_view function) {
  if (const std::optional<Item> result = call_with_generator(l, node, function)) return result;
  if (function == "builtins.iterated") return lower_iterated(l, node);
  if (function == "builtins.has_element") return lower_has_element(l, node);
  if (function == "builtins.element_at") return lower_element_at(l, node);
  if (function == "builtins.filter" || function == "builtins.map") return iterated(l, node, false);
  return {};
}

}  // namespace

const ValueRules generator_rules{.iterate = sequence_over_generator, .call = call_of_generators};

}  // namespace tessera::kernel
