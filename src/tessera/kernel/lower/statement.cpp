// Statements. What follows a statement that may leave the block runs under the condition that it did not.
#include "tessera/ir/source_lines.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

void Lowering::mark_line(const Node& statement) {
  if (!options_.has_lines) return;
  const auto number = [&](int64_t value) { return b.constant(Scalar::of_int(DType::int64, value)); };
  b.call_host(ir::line_mark, std::vector{number(statement.place.line), number(ir::file_number(frame_->function.file))});
}

void Lowering::lower_block(std::span<const Node> statements) {
  for (size_t k = 0; k < statements.size(); ++k) {
    const Node& statement = statements[k];
    const Jumps leaves = jumps(statement, failing());
    frame_->statement = &statement;
    mark_line(statement);
    if (!leaves.any()) {
      lower_statement(statement);
      continue;
    }
    if (statement.kind == NodeKind::if_ && lower_leaving_if(statement, statements.subspan(k))) return;
    const auto rest = statements.subspan(k + 1);
    frame_->rests += !rest.empty();
    lower_statement(statement);
    frame_->rests -= !rest.empty();
    if (always_jumps({statement})) return;
    return lower_rest(rest, leaves);
  }
}

void Lowering::lower_rest(std::span<const Node> rest, const Jumps& before) {
  if (rest.empty()) return;
  if (!before.any()) return lower_block(rest);
  if (before.returns)
    if (const Scalar* known = constant_of(scalar(flag(frame_->returned_slot()))); known && known->bytes[0]) return;
  ir::Value left = b.constant(Scalar::of_bool(false));
  if (before.returns) left = b.bit_or(left, flag(frame_->returned_slot()));
  if (before.breaks) left = b.bit_or(left, flag(frame_->broken_slot(frame_->loops.size() - 1)));
  if (before.continues) left = b.bit_or(left, flag(frame_->skipped_slot(frame_->loops.size() - 1)));
  branch(b.bit_not(left), merged_after(rest), [&] { lower_block(rest); }, {});
}

Jumps Lowering::jumps_of(std::span<const Node> statements) const {
  Jumps all;
  for (const Node& statement : statements) all.add(jumps(statement, failing()));
  return all;
}

// An `if` of which one side always leaves: the rest of the block belongs to the other side, and no flag is read.
bool Lowering::lower_leaving_if(const Node& statement, std::span<const Node> all) {
  const bool first = always_jumps(statement.body);
  if ((!first && !always_jumps(statement.other)) || fails(statement)) return false;
  const auto rest = all.subspan(1);
  const auto side = [&](const std::vector<Node>& block, bool leaves) {
    const bool reads = !leaves && !rest.empty();
    frame_->rests += reads;
    lower_block(block);
    frame_->rests -= reads;
    if (!leaves) lower_rest(rest, jumps_of(block));
  };
  const ir::Value condition = lower_condition(statement.operands[0]);
  branch(
      condition, merged_after(all), [&] { side(statement.body, first); },
      [&] { side(statement.other, always_jumps(statement.other)); });
  return true;
}

// Nothing of a statement runs after what it raises.
void Lowering::lower_statement(const Node& statement) {
  guarded([&] { return merged_after({&statement, 1}); }, [&] { lower_parts(statement); });
}

void Lowering::lower_parts(const Node& statement) {
  if (known_.skipped.contains({frame_->path, &statement})) {
    has_skipped_ = true;
    if (statement.kind == NodeKind::return_ && !statement.operands.empty()) return_known_sides(statement.operands[0]);
    return;
  }
  switch (statement.kind) {
    case NodeKind::assign: return lower_assignment(statement);
    case NodeKind::augmented: return lower_augmented(statement);
    case NodeKind::expression: return (void)lower(statement.operands[0]);
    case NodeKind::return_: return lower_return(statement);
    case NodeKind::if_: return lower_if(statement);
    case NodeKind::while_: return lower_while(statement);
    case NodeKind::for_: return lower_for(statement);
    case NodeKind::break_: return set_flag(frame_->broken_slot(frame_->loops.size() - 1), true);
    case NodeKind::continue_: return set_flag(frame_->skipped_slot(frame_->loops.size() - 1), true);
    case NodeKind::raise_: return lower_raise(statement);
    case NodeKind::try_: return lower_try(statement);
    case NodeKind::pass: return;
    case NodeKind::function: {
      const Item function = local_function(statement);
      assign(statement, frame_->liveness.find(statement.name), function);
      return;
    }
    default: refuse(statement, format("{} is not part of kernels", statement.name));
  }
}

void Lowering::lower_if(const Node& statement) {
  const ir::Value condition = lower_condition(statement.operands[0]);
  branch(
      condition, merged_after({&statement, 1}), [&] { lower_block(statement.body); },
      [&] { lower_block(statement.other); });
}

void Lowering::lower_assignment(const Node& statement) {
  Item value = lower_optional(statement.operands.back());
  // The elements are stored at once where the targets are places in arrays, which they may be computed from.
  const bool is_stored = statement.operands.size() == 2 && statement.operands[0].kind == NodeKind::subscript;
  if (!is_stored) value = in_memory(statement, value);
  // A function that always raises has no value, and nothing follows it.
  if (value.type.kind == TypeKind::none && fails(statement)) return set_flag(frame_->returned_slot(), true);
  if (value.type.kind == TypeKind::none && statement.operands.back().kind == NodeKind::call && !options_.is_function)
    fail(statement, "the right side has no value");
  for (size_t k = 0; k + 1 < statement.operands.size(); ++k) assign_target(statement.operands[k], value);
}

void Lowering::assign_target(const Node& target, const Item& item) {
  switch (target.kind) {
    case NodeKind::name: return assign(target, frame_->liveness.find(target.name), item);
    case NodeKind::subscript:
      if (const std::optional<Item> array = flat_array(target)) {
        const ArrayView view = view_of(*array);
        return store(target, element_at(view, flat_place(target, *array, lower(target.operands[1]))),
                     present(target, item));
      }
      return store(target, lower(target.operands[0]), lower(target.operands[1]), present(target, item));
    case NodeKind::attribute: {
      const Item record = lower(target.operands[0]);
      if (record.type.kind != TypeKind::record) refuse(target, "attributes are not assigned in kernels");
      return store_record(target, field_place(target, record, target.name), present(target, item));
    }
    case NodeKind::tuple:
    case NodeKind::list: {
      if (item.type.kind == TypeKind::optional) return assign_target(target, present(target, item));
      if (item.type.kind == TypeKind::list) return unpack_list(target, item);
      if (item.type.is_array() && item.type.axes > 0) return unpack_array(target, item);
      if (item.type.kind != TypeKind::tuple) fail(target, format("{} cannot be unpacked", describe(item.type)));
      if (item.type.elements.size() != target.operands.size()) {
        fail(target, format("{} values for {} names", item.type.elements.size(), target.operands.size()));
      }
      for (size_t k = 0; k < target.operands.size(); ++k) assign_target(target.operands[k], element(item, k));
      return;
    }
    default: refuse(target, "this is no place to assign to");
  }
}

/// The elements along the first axis.
void Lowering::unpack_array(const Node& target, const Item& array) {
  const auto count = static_cast<int64_t>(target.operands.size());
  const auto number = [&](int64_t k) { return b.constant(DType::int64, static_cast<double>(k)); };
  raise_if(target, b.ne(view_of(array).axes[0].extent, number(count)), ExceptionNumber::value_error,
           format("the array does not have {} elements, as many as there are names", count));
  std::vector<Item> elements;
  for (int64_t k = 0; k < count; ++k) elements.push_back(subscript(target, array, scalar(number(k))));
  for (size_t k = 0; k < target.operands.size(); ++k) assign_target(target.operands[k], elements[k]);
}

void Lowering::lower_augmented(const Node& statement) {
  const Node& target = statement.operands[0];
  if (target.kind == NodeKind::name) {
    const Item old = lower(target);
    if (old.type.is_array()) return augment(statement, view_of(old));
    if (old.type.kind == TypeKind::list) return augment_list(statement, old, lower(statement.operands[1]));
    const Item sum = binary(statement, statement.name, old, lower(statement.operands[1]));
    return assign_target(target, sum);
  }
  const bool is_flat = target.kind == NodeKind::subscript && target.operands[0].kind == NodeKind::attribute &&
                       target.operands[0].name == "flat";
  if (target.kind == NodeKind::subscript && options_.is_function && !is_flat) {
    const Item object = lower(target.operands[0]), index = lower(target.operands[1]);
    if (object.type.kind == TypeKind::list) {
      const Item old = subscript(target, object, index), value = lower(statement.operands[1]);
      if (old.type.kind == TypeKind::list) return augment_list(statement, old, value);
      if (old.type.is_array()) return augment(statement, view_of(old));
      return store_in_list(target, object, index, binary(statement, statement.name, old, value));
    }
    if (object.type.is_array() && is_array_index(index)) {
      const Item old = subscript(target, object, index);
      return store(target, object, index, binary(statement, statement.name, old, lower(statement.operands[1])));
    }
    if (object.type.is_array()) return augment(statement, sub_view(target, object, index));
  }
  const Node* of = target.kind == NodeKind::subscript ? &target.operands[0] : nullptr;
  if (of && of->kind == NodeKind::attribute && (of->name == "real" || of->name == "imag")) {
    const Item object = lower(*of);
    if (object.computed && object.computed->whole) {
      const Item index = lower(target.operands[1]), old = subscript(target, object, index);
      return store(target, object, index, binary(statement, statement.name, old, lower(statement.operands[1])));
    }
  }
  augment(statement, place_of(target));
}

// The elements of a place in an array, or one.
void Lowering::augment(const Node& statement, const ArrayView& place) {
  const Node& target = statement.operands[0];
  const AtNode at_target(*this, target);
  if (place.axes.empty()) {
    const Item old = load(place);
    return store(target, place, binary(statement, statement.name, old, lower(statement.operands[1])));
  }
  const Item value = lower(statement.operands[1]);
  if (!value.type.is_scalar() &&
      !(value.type.is_array_like() && value.type.axes <= static_cast<int>(place.axes.size())))
    fail(statement, format("{} for elements of {}", describe(value.type), describe(place.type())));
  const Item source = apart_from(statement, value, place);
  std::vector<ir::Value> extents;
  for (const ArrayView::Axis& axis : place.axes) extents.push_back(axis.extent);
  if (value.type.is_array_like()) extents = checked_extents(statement, value, std::move(extents));
  uniformly(source, extents, [&] {
    each_index(extents, [&](std::span<const ir::Value> at) {
      const ArrayView one = element_at(place, at);
      store(target, one, binary(statement, statement.name, load(one), repeated_element(source, at)));
    });
    return std::vector<ir::Value>{};
  });
}

// What an assignment in place changes: an element, a slice, a field.
ArrayView Lowering::place_of(const Node& target) {
  if (target.kind != NodeKind::subscript && target.kind != NodeKind::attribute)
    refuse(target, "this is no place to assign to");
  if (const std::optional<Item> array = target.kind == NodeKind::subscript ? flat_array(target) : std::nullopt)
    return element_at(view_of(*array), flat_place(target, *array, lower(target.operands[1])));
  const Item object = lower(target.operands[0]);
  const bool attribute = target.kind == NodeKind::attribute;
  const Item index = attribute ? Item{} : lower(target.operands[1]);
  if (object.type.is_array() && !attribute) return sub_view(target, object, index);
  const bool is_field = object.type.axes == 0 || index.type.is_entity(EntityKind::text);
  if (object.type.kind == TypeKind::record && (attribute || is_field)) {
    const Item place = field_place(target, object, attribute ? target.name : field_name(target, object, index));
    if (place.type.is_array()) return view_of(place);
  }
  refuse(target, format("{} has no elements that are assigned in place", describe(object.type)));
}

void Lowering::lower_return(const Node& statement) {
  if (!statement.operands.empty() && statement.operands[0].kind != NodeKind::nothing) {
    if (!frame_->caller && !options_.is_function && !options_.is_body) {
      fail(statement, "a kernel returns a value", "store it in an array; device functions may return values");
    }
    const Item result = in_memory(statement, lower_optional(statement.operands[0]));
    // While types are unknown, a function may seem to do nothing but raise.
    if (!changed_ || result.type.kind != TypeKind::none) assign(statement, frame_->result_slot(), result);
  }
  const bool is_none = statement.operands.empty() || statement.operands[0].kind == NodeKind::nothing;
  if (is_none && (frame_->caller || options_.is_function)) assign(statement, frame_->result_slot(), {});
  if (!frame_->caller) check_meeting(statement, ir::CheckCall::returned);
  set_flag(frame_->returned_slot(), true);
}

Jumps Lowering::jumps_inside(const Node& loop) const { return jumps_of(loop.body); }

}  // namespace tessera::kernel
