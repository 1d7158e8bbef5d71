#include "tessera/kernel/values/generator/generator.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tessera/kernel/desugar/desugar.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/calls/function.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/lower/statement.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/lower/words.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"

namespace tessera::kernel {

namespace {

constexpr int64_t state_word = 0, value_word = 1, ended = -1;
constexpr int64_t first_number = int64_t{1} << 20;  // of paths, behind those of functions that call themselves

void collect_saved(const std::vector<Node>& block, std::set<std::string>& names) {
  for (const Node& one : block) {
    if (one.kind == NodeKind::function) continue;
    if (one.kind == NodeKind::yield_) names.insert(one.names.begin(), one.names.end());
    collect_saved(one.body, names);
    collect_saved(one.other, names);
  }
}

typed::PathNumber path_of(const Lowering& l, const Type& generator) {
  const typed::Generator& known = l.known->generators[generator->places.at(0)];
  if (known.site != 0) return known.site;
  return l.known.path(0, Place{}, first_number + static_cast<int64_t>(generator->places[0]));
}

}  // namespace

Generators::Generators(Lowering& l) : l_(l), b(l.b) {}

// Parameters come first: they are read before the first yield.
Generators::Layout Generators::layout_of(const Function& function, const std::vector<Type>& arguments,
                                         typed::PathNumber path) {
  Layout layout;
  const auto type_in = [&](int slot) -> const Type* {
    const typed::Variable* const known = l_.known->variables.find({path, slot});
    return known ? &known->type : nullptr;
  };
  const Liveness liveness(function.tree);
  if (const Type* value = type_in(static_cast<int>(liveness.count()) + 1)) layout.value = *value;
  layout.words = value_word + (layout.value ? words_of_type(*layout.value) : 0);
  std::set<std::string> saved(function.tree.names.begin(), function.tree.names.end());
  collect_saved(function.tree.body, saved);
  for (int slot = 0; slot < static_cast<int>(liveness.count()); ++slot) {
    if (!saved.contains(liveness.name(slot))) continue;
    const Type* type = type_in(slot);
    const auto place = static_cast<size_t>(slot);
    if (!type && place >= arguments.size()) continue;
    layout.slots.push_back(slot);
    layout.types.push_back(type ? *type : arguments[place]);
    layout.words += words_of_type(layout.types.back());
  }
  return layout;
}

ir::Value Generators::load(const Item& generator, int64_t word) {
  if (generator.type->is_heap)
    return b.load(l_.memory.heap_of(DType::int64), std::vector{b.add(generator.values[0], l_.number(word))});
  const Type array = TypeParts{.kind = TypeKind::array, .id = generator.type->id};
  return b.load_array(l_.memory.number_of(array), l_.number(word));
}

void Generators::store(const Item& generator, int64_t word, ir::Value value) {
  if (generator.type->is_heap)
    return b.store(l_.memory.heap_of(DType::int64), value, std::vector{b.add(generator.values[0], l_.number(word))});
  const Type array = TypeParts{.kind = TypeKind::array, .id = generator.type->id};
  b.store_array(l_.memory.number_of(array), value, l_.number(word));
}

void Generators::store(const Item& generator, int64_t first, const Item& value) {
  for (ir::Value word : to_words(b, value)) store(generator, first++, word);
}

Item Generators::load(const Item& generator, int64_t first, const Type& type) {
  return from_words(b, type, [&](int64_t word) { return load(generator, first + word); });
}

Item Generators::make(const Node& node, const Function& callee, std::vector<Item> arguments, bool is_local) {
  if (!is_local && !l_.options.is_function)
    l_.refuse(node, format("the generator {} as a value in a kernel", callee.name()), "a loop over the call");
  const auto is_closing = [&](const Item& one) { return one.type->kind == TypeKind::generator && closes(one); };
  if (!is_local && closes_generator(callee.tree))
    l_.refuse(node, format("the generator {}, which yields within try with finally, as a value", callee.name()),
              "a loop over the call");
  if (std::ranges::any_of(arguments, is_closing))
    l_.refuse(node, format("{} of a generator that yields within try with finally", callee.name()),
              "a loop over the generator's call");
  const Signature* signature = signature_for(l_, callee, arguments);
  std::vector<Type> types;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const std::optional<DType> as = signature ? signature->parameters[k] : std::nullopt;
    if (as) arguments[k] = as_number(l_, node, arguments[k], *as);
    types.push_back(arguments[k].type);
  }
  const typed::PathNumber site = is_local ? l_.known.path(l_.frame->turn, node.place, -1) : 0;
  const auto& all = l_.known->generators;
  const auto found = std::ranges::find_if(all, [&](const typed::Generator& one) {
    return one.function == &callee && one.arguments == types && one.site == site;
  });
  const auto number = static_cast<uint32_t>(found - all.begin());
  if (found == all.end()) l_.known.add().generators.push_back({&callee, types, site});
  TypeParts parts{.kind = TypeKind::generator, .is_heap = !is_local, .names = {callee.name()}, .places = {number}};
  Item made{parts, {}};
  const Layout layout = layout_of(callee, types, path_of(l_, made.type));
  if (is_local) {
    parts.id = l_.memory.add_array(node, {.dtype = DType::int64, .size = layout.words, .shared = false});
    made.type = parts;
    for (int64_t word = 0; word < layout.words; ++word) store(made, word, l_.number(0));
  } else {
    made.values = {call_host(l_, HostFunction::allocate_zeros, {l_.number(layout.words), l_.number(container_words)})};
  }
  if (l_.known.infers()) return load(made, state_word), made;
  int64_t at = value_word + (layout.value ? words_of_type(*layout.value) : 0);
  for (size_t k = 0; k < layout.slots.size(); ++k) {
    const auto slot = static_cast<size_t>(layout.slots[k]);
    if (slot < arguments.size()) store(made, at, l_.convert(arguments[slot], layout.types[k]));
    at += words_of_type(layout.types[k]);
  }
  return made;
}

std::shared_ptr<const Function> Generators::find(const Node& call) {
  const Node& callee = call.operands[0];
  const std::optional<Entity> global = entity_of(l_, callee);
  std::shared_ptr<const Function> function;
  if (callee.kind == NodeKind::function && yields(callee)) return local_function(l_, callee).type->entity.function;
  if (global && global->kind == EntityKind::function && !global->overloads) function = global->function;
  if (!global && callee.kind == NodeKind::name) {
    const int variable = l_.frame->liveness.find(callee.name);
    const Type* type = variable < 0 ? nullptr : type_of(l_, variable);
    if (type && type->is_entity(EntityKind::function)) function = (*type)->entity.function;
  }
  return function && function->is_generator ? function : nullptr;
}

std::optional<Item> Generators::make_for_loop(const Node& call) {
  const std::shared_ptr<const Function> function = find(call);
  if (!function) return std::nullopt;
  std::vector<Item> arguments = with_defaults(l_, call, *function, lower_positional(l_, call, true));
  for (Item& argument : arguments) argument = l_.in_memory(call, argument);
  return make(call, *function, std::move(arguments), !l_.called.is_inside());
}

void Generators::load_variables(const Item& generator, const Layout& layout) {
  int64_t at = value_word + (layout.value ? words_of_type(*layout.value) : 0);
  for (size_t k = 0; k < layout.slots.size(); ++k) {
    l_.frame->values[layout.slots[k]] = load(generator, at, layout.types[k]);
    at += words_of_type(layout.types[k]);
  }
}

void Generators::check_nested(const Node& node, const Function& callee) const {
  constexpr int most_calls = 64;
  int calls = 0;
  for (const Frame* frame = l_.frame; frame; frame = frame->caller) ++calls;
  if (calls <= most_calls) return;
  l_.known.stop();
  l_.refuse(node, format("{} is a generator that asks one of its own kind", callee.name()), "a loop with a list");
}

ir::Value Generators::advance(const Node& node, const Item& generator) {
  const typed::Generator known = l_.known->generators[generator.type->places.at(0)];
  const Function& callee = *known.function;
  check_nested(node, callee);
  Frame frame(l_, callee, &node);
  frame.path = frame.turn = path_of(l_, generator.type);
  frame.arguments = known.arguments;
  frame.generator = &generator;
  if (callee.inside) {
    frame.enclosing = l_.frame;
    while (frame.enclosing && &frame.enclosing->function != callee.inside) frame.enclosing = frame.enclosing->caller;
    if (!frame.enclosing)
      l_.refuse(node, format("{} goes on outside of {}, in which it is defined", callee.name(), callee.inside->name()),
                "a generator that is defined outside");
  }
  Frame* const caller = std::exchange(l_.frame, &frame);
  set_flag(l_, frame.returned_slot(), false);
  const Layout layout = layout_of(callee, known.arguments, frame.path);
  for (size_t k = 0; k < known.arguments.size(); ++k)
    widen(l_, callee.tree, frame.key_of(static_cast<int>(k)), callee.tree.names[k], known.arguments[k]);
  load_variables(generator, layout);
  assign(l_, callee.tree, frame.liveness.find("state#"), l_.scalar(load(generator, state_word)));
  store(generator, state_word, l_.number(ended));
  // So that the value that is read behind it depends on this call alone.
  if (!generator.type->is_heap && layout.value)
    for (int64_t word = 0; word < words_of_type(*layout.value); ++word)
      store(generator, value_word + word, l_.number(0));
  const SitesBegin begin = l_.failures.begin();
  lower_block(l_, callee.tree.body);
  l_.frame = caller;
  if (l_.failures.begin() != begin && l_.failures.is_told_at_once()) guard(l_, b.bit_not(l_.failures.failed()));
  return b.ne(load(generator, state_word), l_.number(ended));
}

bool Generators::closes(const Item& generator) const {
  return closes_generator(l_.known->generators[generator.type->places.at(0)].function->tree);
}

void Generators::close(const Node& node, const Item& generator) {
  const ir::Value state = load(generator, state_word);
  const auto end = [&] {
    store(generator, state_word, b.sub(l_.number(ended), state));
    advance(node, generator);
  };
  branch(l_, b.gt(state, l_.number(0)), {}, end, {});
}

Item Generators::yielded(const Node& node, const Item& generator) {
  const typed::Generator known = l_.known->generators[generator.type->places.at(0)];
  const Layout layout = layout_of(*known.function, known.arguments, path_of(l_, generator.type));
  if (!layout.value) l_.fail(node, format("{} yields nothing whose type is known", known.function->name()));
  return load(generator, value_word, *layout.value);
}

void Generators::lower_yield(const Node& statement) {
  if (!l_.frame->generator) l_.refuse(statement, "yield here");
  const Item& generator = *l_.frame->generator;
  const Item given = l_.in_memory(statement, l_.lower_optional(statement.operands[0]));
  const Type type = widen(l_, statement, l_.frame->key_of(l_.frame->result_slot()), "the yielded value", given.type);
  set_flag(l_, l_.frame->returned_slot(), true);
  if (l_.known.infers()) return;
  store(generator, value_word, l_.convert(given, type));
  store(generator, state_word, l_.number(statement.value.as_int()));
  const Layout layout = layout_of(l_.frame->function, l_.frame->arguments, l_.frame->path);
  int64_t at = value_word + words_of_type(type);
  for (size_t k = 0; k < layout.slots.size(); ++k) {
    const VariableValue& held = l_.frame->values[layout.slots[k]];
    if (held) store(generator, at, l_.convert(*held, layout.types[k]));
    at += words_of_type(layout.types[k]);
  }
}

void Generators::lower_outermost(const Function& function, const std::vector<Item>& arguments) {
  const Item generator{TypeParts{.kind = TypeKind::generator, .is_heap = true}, {b.scalar(b.add_scalar(DType::int64))}};
  Frame& frame = *l_.frame;
  frame.generator = &generator;
  set_flag(l_, frame.returned_slot(), false);
  attempt(l_, [&] { assign_parameters(l_, function.tree, function, arguments); });
  const std::vector<VariableValue> given = frame.values;
  const Layout layout = layout_of(function, frame.arguments, frame.path);
  const ir::Value state = load(generator, state_word);
  load_variables(generator, layout);
  for (int slot = 0; slot < static_cast<int>(function.tree.names.size()); ++slot) {
    if (!frame.values[slot] || !given[slot]) continue;
    Item first = l_.convert(*given[slot], frame.values[slot]->type);
    for (size_t k = 0; k < first.values.size(); ++k)
      first.values[k] = b.select(b.eq(state, l_.number(0)), first.values[k], frame.values[slot]->values[k]);
    frame.values[slot] = first;
  }
  assign(l_, function.tree, frame.liveness.find("state#"), l_.scalar(state));
  store(generator, state_word, l_.number(ended));
  lower_block(l_, function.tree.body);
  frame.generator = nullptr;
  const Layout found = layout_of(function, frame.arguments, frame.path);
  if (!found.value) l_.fail(function.tree, format("{} yields nothing whose type is known", function.name()));
  outermost_ = {l_.lists.resolved(*found.value), found.words, closes_generator(function.tree)};
}

namespace {

std::string describe_generator(const Type&) { return "generator"; }

void append_frame(const Type& type, std::vector<DType>& dtypes) {
  if (type->is_heap) append_word(type, dtypes);
}

}  // namespace

const TypeRules generator_type{.describe = describe_generator, .append_scalars = append_frame};

}  // namespace tessera::kernel
