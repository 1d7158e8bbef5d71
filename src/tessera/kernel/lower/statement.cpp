// Statements. What follows a statement that may leave the block runs under the condition that it did not.
#include "tessera/kernel/lower/statement.h"

#include <algorithm>
#include <utility>

#include "tessera/ir/source_lines.h"
#include "tessera/kernel/desugar/desugar.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/calls/called.h"
#include "tessera/kernel/lower/calls/overload.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/loops/loop.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/released.h"
#include "tessera/kernel/values/array/whole.h"
#include "tessera/kernel/values/characters/character_type.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/text/text.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

void mark_line(Lowering& l, const Node& statement) {
  ir::Builder& b = l.b;
  if (!l.options.has_lines) return;
  const auto number = [&](int64_t value) { return b.constant(Scalar::of_int(DType::int64, value)); };
  b.call_host(ir::line_mark,
              std::vector{number(statement.place.line), number(ir::file_number(l.frame->function.file))});
}

// An `if` of which one side always leaves: the rest of the block belongs to the other side, and no flag is read.
bool lower_leaving_if(Lowering& l, const Node& statement, std::span<const Node> all) {
  const bool first = always_jumps(statement.body);
  if ((!first && !always_jumps(statement.other)) || l.failures.fails(statement)) return false;
  const auto rest = all.subspan(1);
  const auto side = [&](const std::vector<Node>& block, bool leaves) {
    const bool reads = !leaves && !rest.empty();
    l.frame->rests += reads;
    lower_block(l, block);
    l.frame->rests -= reads;
    if (!leaves) lower_rest(l, rest, jumps_of(l, block));
  };
  const ir::Value condition = l.lower_condition(statement.operands[0]);
  branch(
      l, condition, merged_after(l, all), [&] { side(statement.body, first); },
      [&] { side(statement.other, always_jumps(statement.other)); });
  return true;
}

// What an assignment in place changes: an element, a slice, a field.
ArrayView place_of(Lowering& l, const Node& target) {
  if (target.kind != NodeKind::subscript && target.kind != NodeKind::attribute)
    l.refuse(target, "this is no place to assign to");
  if (const std::optional<Item> array = target.kind == NodeKind::subscript ? flat_array(l, target) : std::nullopt)
    return element_at(l, view_of(l, *array), flat_place(l, target, *array, l.lower(target.operands[1])));
  const Item object = l.lower(target.operands[0]);
  const bool attribute = target.kind == NodeKind::attribute;
  const Item index = attribute ? Item{} : l.lower(target.operands[1]);
  if (object.type.is_array() && !attribute) return sub_view(l, target, object, index);
  if (const auto place = ask_values(&ValueRules::place, l, target, object, attribute ? text_item(target.name) : index))
    return view_of(l, *place);
  l.refuse(target, format("{} has no elements that are assigned in place", describe(object.type)));
}

/// In-place operators of arrays keep the array's kind, as NumPy's: a number beside it has a kind only.
void check_kept_kind(Lowering& l, const Node& node, const Type& made, const Type& kept, const Type& by) {
  if (!made.is_scalar() || made->unit || kept->unit) return;
  const DType from = made->dtype, to = kept->dtype;
  const auto kind = [](DType type) { return is_boolean(type) ? 0 : is_integer(type) ? 1 : is_complex(type) ? 3 : 2; };
  const bool of_truths = is_boolean(by->dtype) && is_boolean(to);  // whose sum is a truth
  if (of_truths || (by.is_scalar() ? kind(from) <= kind(to) : can_cast(from, to, Casting::same_kind))) return;
  l.fail(node, format("the result, {}, is stored in an array of {}, which keeps its kind", from, to),
         format("a[...] = (...).astype(np.{})", to));
}

// The elements of a place in an array, or one.
void augment(Lowering& l, const Node& statement, const ArrayView& place) {
  const Node& target = statement.operands[0];
  const AtNode at_target(l, target);
  if (!place.axes.empty()) return augment_elements(l, statement, statement.name, place, l.lower(statement.operands[1]));
  const Item old = load(l, place);
  store(l, target, place, binary(l, statement, statement.name, old, l.lower(statement.operands[1])));
}

void set_attribute(Lowering& l, const Node& target, const Item& object, const Item& value) {
  if (!ask_values(&ValueRules::set_attribute, l, target, object, target.name, value))
    l.refuse(target, "attributes are not assigned in kernels");
}

/// Of an object's field or property, or of what its __getitem__ gives.
bool augment_in_object(Lowering& l, const Node& statement) {
  const Node& target = statement.operands[0];
  if (target.kind != NodeKind::attribute && target.kind != NodeKind::subscript) return false;
  if (target.kind == NodeKind::subscript && target.operands[0].kind == NodeKind::attribute &&
      target.operands[0].name == "flat")
    return false;
  if (entity_of(l, target.operands[0])) return false;
  const Item object = l.lower(target.operands[0]);
  const bool is_attribute = target.kind == NodeKind::attribute;
  if (is_characters(object.type) && !is_attribute) {
    const Item index = l.lower(target.operands[1]);
    const Item old = subscript(l, target, object, index);
    store(l, target, object, index, binary(l, statement, statement.name, old, l.lower(statement.operands[1])));
    return true;
  }
  if (object.type->kind != TypeKind::object) return false;
  const Item index = is_attribute ? Item{} : l.lower(target.operands[1]);
  const std::optional<Item> old = is_attribute ? ask_values(&ValueRules::attribute, l, target, object, target.name)
                                               : ask_values(&ValueRules::subscript, l, target, object, index);
  if (!old) l.fail(target, format("{} has nothing there", describe(object.type)));
  if (old->type.is_array()) return augment(l, statement, view_of(l, *old)), true;
  const Item value = l.present(target, *old);
  const Item sum = binary(l, statement, statement.name, value, l.lower(statement.operands[1]));
  is_attribute ? set_attribute(l, target, object, sum) : store(l, target, object, index, sum);
  return true;
}

void lower_augmented(Lowering& l, const Node& statement) {
  if (augment_in_object(l, statement)) return;
  const Node& target = statement.operands[0];
  if (target.kind == NodeKind::name) {
    const Item old = l.lower(target);
    if (old.type.is_array()) return augment(l, statement, view_of(l, old));
    const Item value = l.lower(statement.operands[1]);
    if (ask_values(&ValueRules::augment, l, statement, old, value)) return;
    return assign_target(l, target, binary(l, statement, statement.name, old, value));
  }
  const bool is_flat = target.kind == NodeKind::subscript && target.operands[0].kind == NodeKind::attribute &&
                       target.operands[0].name == "flat";
  if (target.kind == NodeKind::subscript && l.options.is_function && !is_flat) {
    const Item object = l.lower(target.operands[0]), index = l.lower(target.operands[1]);
    if (object.type->kind == TypeKind::list || object.type->kind == TypeKind::dict) {
      const Item old = subscript(l, target, object, index), value = l.lower(statement.operands[1]);
      if (old.type.is_array()) return augment(l, statement, view_of(l, old));
      if (ask_values(&ValueRules::augment, l, statement, old, value)) return;
      return store(l, target, object, index, binary(l, statement, statement.name, old, value));
    }
    if (object.type.is_array() && is_array_index(index)) {
      const Item old = subscript(l, target, object, index);
      return store(l, target, object, index, binary(l, statement, statement.name, old, l.lower(statement.operands[1])));
    }
    if (object.type.is_array()) return augment(l, statement, sub_view(l, target, object, index));
  }
  const Node* of = target.kind == NodeKind::subscript ? &target.operands[0] : nullptr;
  if (of && of->kind == NodeKind::attribute && (of->name == "real" || of->name == "imag")) {
    const Item object = l.lower(*of);
    if (object.computed && object.computed->whole) {
      const Item index = l.lower(target.operands[1]), old = subscript(l, target, object, index);
      return store(l, target, object, index, binary(l, statement, statement.name, old, l.lower(statement.operands[1])));
    }
  }
  augment(l, statement, place_of(l, target));
}

void lower_return(Lowering& l, const Node& statement) {
  if (l.frame->generator) return set_flag(l, l.frame->returned_slot(), true);  // which is the end
  const bool has_returned = std::exchange(l.frame->ends.has_returned, true);
  l.frame->ends.has_raised = false;
  if (!statement.operands.empty() && statement.operands[0].kind != NodeKind::nothing) {
    if (!l.frame->caller && !l.options.is_function && !l.options.is_body) {
      l.fail(statement, "a kernel returns a value", "store it in an array; device functions may return values");
    }
    const Item result = l.in_memory(statement, l.lower_optional(statement.operands[0]));
    if (result.type->kind == TypeKind::none && l.frame->ends.has_raised) l.frame->ends.has_returned = has_returned;
    // While types are unknown, a function may seem to do nothing but raise.
    if (!l.known.is_changed() || result.type->kind != TypeKind::none)
      assign(l, statement, l.frame->result_slot(), result);
  }
  const bool is_none = statement.operands.empty() || statement.operands[0].kind == NodeKind::nothing;
  if (is_none && (l.frame->caller || l.options.is_function)) assign(l, statement, l.frame->result_slot(), {});
  if (!l.frame->caller) l.checks.check_meeting(statement, ir::CheckCall::returned);
  set_flag(l, l.frame->returned_slot(), true);
}

void lower_if(Lowering& l, const Node& statement) {
  const ir::Value condition = l.lower_condition(statement.operands[0]);
  branch(
      l, condition, merged_after(l, {&statement, 1}), [&] { lower_block(l, statement.body); },
      [&] { lower_block(l, statement.other); });
}

bool is_target(const Node& target, const std::string& name) {
  if (target.kind == NodeKind::name) return target.name == name;
  if (target.kind != NodeKind::tuple && target.kind != NodeKind::list) return false;
  return std::ranges::any_of(target.operands, [&](const Node& one) { return is_target(one, name); });
}

int count_assignments(const std::vector<Node>& block, const std::string& name) {
  int count = 0;
  for (const Node& one : block) {
    if (one.kind == NodeKind::function) continue;
    const bool is_one = one.kind == NodeKind::augmented || one.kind == NodeKind::for_;
    const size_t targets = one.kind == NodeKind::assign ? one.operands.size() - 1 : is_one ? 1 : 0;
    for (size_t k = 0; k < targets; ++k) count += is_target(one.operands[k], name);
    count += count_assignments(one.body, name) + count_assignments(one.other, name);
  }
  return count;
}

/// A generator that is made once in a call of the function, by the one assignment of its variable: its frame is no
/// memory. Nothing for all else.
std::optional<Item> made_once(Lowering& l, const Node& statement) {
  const Node &target = statement.operands[0], &value = statement.operands.back();
  const Frame& frame = *l.frame;
  const bool is_plain = statement.operands.size() == 2 && target.kind == NodeKind::name && value.kind == NodeKind::call;
  if (!is_plain || frame.caller || frame.generator || frame.depth > 0 || !frame.loops.empty() || frame.tries > 0)
    return {};
  const std::shared_ptr<const Function> made = l.generators.find(value);
  if (!made || closes_generator(made->tree) || count_assignments(frame.function.tree.body, target.name) != 1) return {};
  return l.generators.make_for_loop(value);
}

void lower_assignment(Lowering& l, const Node& statement) {
  if (const std::optional<Item> generator = made_once(l, statement))
    return assign_target(l, statement.operands[0], *generator);
  l.frame->ends.has_raised = false;
  Item value = l.lower_optional(statement.operands.back());
  // The elements are stored at once where the targets are places in arrays, which they may be computed from.
  const bool is_stored = statement.operands.size() == 2 && statement.operands[0].kind == NodeKind::subscript;
  if (!is_stored) value = l.in_memory(statement, value);
  // A function that always raises has no value, and nothing follows it.
  if (value.type->kind == TypeKind::none && l.frame->ends.has_raised)
    return set_flag(l, l.frame->returned_slot(), true);
  if (value.type->kind == TypeKind::none && statement.operands.back().kind == NodeKind::call && !l.options.is_function)
    l.fail(statement, "the right side has no value");
  for (size_t k = 0; k + 1 < statement.operands.size(); ++k) assign_target(l, statement.operands[k], value);
}

void lower_parts(Lowering& l, const Node& statement) {
  switch (statement.kind) {
    case NodeKind::assign: return lower_assignment(l, statement);
    case NodeKind::augmented: return lower_augmented(l, statement);
    case NodeKind::expression: return (void)l.lower(statement.operands[0]);
    case NodeKind::return_: return lower_return(l, statement);
    case NodeKind::yield_: return l.generators.lower_yield(statement);
    case NodeKind::if_: return lower_if(l, statement);
    case NodeKind::while_: return lower_while(l, statement);
    case NodeKind::for_: return lower_for(l, statement);
    case NodeKind::break_: return set_flag(l, l.frame->broken_slot(l.frame->loops.size() - 1), true);
    case NodeKind::continue_: return set_flag(l, l.frame->skipped_slot(l.frame->loops.size() - 1), true);
    case NodeKind::raise_: return l.failures.lower_raise(statement);
    case NodeKind::try_: return l.failures.lower_try(statement);
    case NodeKind::pass: return;
    case NodeKind::function: {
      const Item function = local_function(l, statement);
      assign(l, statement, l.frame->liveness.find(statement.name), function);
      return;
    }
    default: l.refuse(statement, format("{} is not part of kernels", statement.name));
  }
}

bool may_release(const Node& statement) {
  switch (statement.kind) {
    case NodeKind::assign:
    case NodeKind::augmented:
    case NodeKind::expression:
    case NodeKind::if_:
    case NodeKind::while_:
    case NodeKind::for_: return true;
    default: return false;
  }
}

// Nothing of a statement runs after what it raises.
void lower_statement(Lowering& l, const Node& statement) {
  const auto passes = [&] { return merged_after(l, {&statement, 1}); };
  const auto plain = [&] { guarded(l, passes, [&] { lower_parts(l, statement); }); };
  const auto body = [&] { may_release(statement) ? releasing(l, statement, passes, plain) : plain(); };
  const bool is_done = attempt(l, body);
  if (!is_done && statement.kind == NodeKind::return_ && !statement.operands.empty())
    return_known_sides(l, statement.operands[0]);
}

/// The elements along the first axis.
void unpack_array(Lowering& l, const Node& target, const Item& array) {
  ir::Builder& b = l.b;
  const auto count = static_cast<int64_t>(target.operands.size());
  const auto number = [&](int64_t k) { return b.constant(DType::int64, static_cast<double>(k)); };
  l.failures.raise_if(target, b.ne(view_of(l, array).axes[0].extent, number(count)), ExceptionNumber::value_error,
                      format("the array does not have {} elements, as many as there are names", count));
  std::vector<Item> elements;
  for (int64_t k = 0; k < count; ++k) elements.push_back(subscript(l, target, array, l.scalar(number(k))));
  for (size_t k = 0; k < target.operands.size(); ++k) assign_target(l, target.operands[k], elements[k]);
}

}  // namespace

void augment_elements(Lowering& l, const Node& node, std::string_view op, const ArrayView& place, const Item& value) {
  if (!value.type.is_scalar() &&
      !(value.type.is_array_like() && value.type->axes <= static_cast<int>(place.axes.size())))
    l.fail(node, format("{} for elements of {}", describe(value.type), describe(place.type())));
  const Item source = apart_from(l, node, value, place);
  std::vector<ir::Value> extents;
  for (const ArrayView::Axis& axis : place.axes) extents.push_back(axis.extent);
  if (value.type.is_array_like()) extents = checked_extents(l, node, value, std::move(extents));
  uniformly(l, source, extents, [&] {
    each_index(l, extents, [&](std::span<const ir::Value> at) {
      const ArrayView one = element_at(l, place, at);
      const Item made = binary(l, node, op, load(l, one), repeated_element(l, source, at));
      check_kept_kind(l, node, made.type, one.type(), value.type);
      store(l, node, one, made);
    });
    return std::vector<ir::Value>{};
  });
}

void lower_block(Lowering& l, std::span<const Node> statements) {
  for (size_t k = 0; k < statements.size(); ++k) {
    const Node& statement = statements[k];
    const Jumps leaves = jumps(statement, l.failures.failing());
    l.frame->statement = &statement;
    mark_line(l, statement);
    if (!leaves.any()) {
      lower_statement(l, statement);
      continue;
    }
    bool has_all = false;
    if (statement.kind == NodeKind::if_ &&
        !attempt(l, [&] { has_all = lower_leaving_if(l, statement, statements.subspan(k)); }))
      continue;
    if (has_all) return;
    const auto rest = statements.subspan(k + 1);
    l.frame->rests += !rest.empty();
    lower_statement(l, statement);
    l.frame->rests -= !rest.empty();
    if (always_jumps({statement})) return;
    return lower_rest(l, rest, leaves);
  }
}

void lower_rest(Lowering& l, std::span<const Node> rest, const Jumps& before) {
  ir::Builder& b = l.b;
  if (rest.empty()) return;
  if (!before.any()) return lower_block(l, rest);
  if (before.returns)
    if (const Scalar* known = l.constant_of(l.scalar(flag(l, l.frame->returned_slot()))); known && known->bytes[0])
      return;
  ir::Value left = b.constant(Scalar::of_bool(false));
  if (before.returns) left = b.bit_or(left, flag(l, l.frame->returned_slot()));
  if (before.breaks) left = b.bit_or(left, flag(l, l.frame->broken_slot(l.frame->loops.size() - 1)));
  if (before.continues) left = b.bit_or(left, flag(l, l.frame->skipped_slot(l.frame->loops.size() - 1)));
  branch(l, b.bit_not(left), merged_after(l, rest), [&] { lower_block(l, rest); }, {});
}

Jumps jumps_of(const Lowering& l, std::span<const Node> statements) {
  Jumps all;
  for (const Node& statement : statements) all.add(jumps(statement, l.failures.failing()));
  return all;
}

void assign_target(Lowering& l, const Node& target, const Item& item) {
  switch (target.kind) {
    case NodeKind::name: return assign(l, target, l.frame->liveness.find(target.name), item);
    case NodeKind::subscript:
      if (const std::optional<Item> array = flat_array(l, target)) {
        const ArrayView view = view_of(l, *array);
        return store(l, target, element_at(l, view, flat_place(l, target, *array, l.lower(target.operands[1]))),
                     l.present(target, item));
      }
      if (const Item object = l.lower(target.operands[0]); object.type->kind == TypeKind::object || is_own(object))
        return store(l, target, object, l.lower(target.operands[1]), item);
      else
        return store(l, target, object, l.lower(target.operands[1]), l.present(target, item));
    case NodeKind::attribute: return set_attribute(l, target, l.lower(target.operands[0]), item);
    case NodeKind::tuple:
    case NodeKind::list: {
      if (item.type->kind == TypeKind::optional) return assign_target(l, target, l.present(target, item));
      if (item.type->kind == TypeKind::list) return unpack_list(l, target, item);
      if (item.type.is_array() && item.type->axes > 0) return unpack_array(l, target, item);
      if (item.type->kind != TypeKind::tuple) l.fail(target, format("{} cannot be unpacked", describe(item.type)));
      if (item.type->elements.size() != target.operands.size()) {
        l.fail(target, format("{} values for {} names", item.type->elements.size(), target.operands.size()));
      }
      for (size_t k = 0; k < target.operands.size(); ++k) assign_target(l, target.operands[k], element(item, k));
      return;
    }
    default: l.refuse(target, "this is no place to assign to");
  }
}

Jumps jumps_inside(const Lowering& l, const Node& loop) { return jumps_of(l, loop.body); }

}  // namespace tessera::kernel
