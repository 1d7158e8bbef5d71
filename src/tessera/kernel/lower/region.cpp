// Regions: which variables a branch or a loop passes on, and how their values get in and out.
#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

Lowering::Passed Lowering::passed_by(std::span<const Node> statements, const VariableSet& live) const {
  VariableSet assigned(frame_->liveness.count());
  for (const Node& statement : statements) assigned.add(frame_->liveness.assigned(statement));
  Passed passed;
  for (int slot = 0; slot < frame_->returned_slot(); ++slot) {
    if (!assigned.has(slot) || !live.has(slot)) continue;
    const std::optional<Type> type = type_of(slot);
    if (!type) continue;  // its first assignment is inside, after which this is done anew
    passed.slots.push_back(slot);
    passed.types.push_back(*type);
  }
  return passed;
}

void Lowering::add_flags(const Jumps& jumps, Passed& passed) const {
  // Flags that nobody reads stay inside.
  const auto add = [&](int slot) {
    if (const std::optional<Type> type = type_of(slot)) {
      passed.slots.push_back(slot);
      passed.types.push_back(*type);
    }
  };
  const bool is_read = frame_->rests > 0;
  if (jumps.returns && (is_read || frame_->tries > 0 || !frame_->loops.empty() || may_end_without_result()))
    add(frame_->returned_slot());
  if (jumps.returns) add(frame_->result_slot());
  if (jumps.breaks) add(frame_->broken_slot(frame_->loops.size() - 1));
  if (jumps.continues && is_read) add(frame_->skipped_slot(frame_->loops.size() - 1));
}

// Where a statement may jump, what is read at the target counts as read after it.
Lowering::Passed Lowering::merged_after(std::span<const Node> statements) const {
  VariableSet live = frame_->liveness.after(statements.back());
  Jumps all;
  for (const Node& statement : statements) all.add(jumps(statement, failing()));
  if (all.breaks) live.add(frame_->liveness.after(*frame_->loops.back()));
  if (all.continues) live.add(frame_->liveness.head(*frame_->loops.back()));
  Passed passed = passed_by(statements, live);
  add_flags(all, passed);
  return passed;
}

std::vector<ir::Value> Lowering::take(const Passed& passed) {
  std::vector<ir::Value> values;
  for (size_t k = 0; k < passed.slots.size(); ++k) {
    const std::optional<Item>& held = frame_->values[passed.slots[k]];
    const Item item = held ? convert(*held, passed.types[k]) : zero(passed.types[k]);
    values.insert(values.end(), item.values.begin(), item.values.end());
  }
  return values;
}

void Lowering::give(const Passed& passed, std::span<const ir::Value> values) {
  for (size_t k = 0; k < passed.slots.size(); ++k) {
    std::vector<DType> dtypes;
    append_scalars(passed.types[k], dtypes);
    const auto first = values.begin();
    frame_->values[passed.slots[k]] = Item{passed.types[k], {first, first + static_cast<int64_t>(dtypes.size())}};
    values = values.subspan(dtypes.size());
  }
}

/// Runs body, which ends where it raises. Handlers around it find the variables as they were before then.
void Lowering::guarded(const std::function<Passed()>& passes, const std::function<void()>& body) {
  b.open_guards();  // those of the statement around, in which body is that of a function
  const size_t guards = b.guards(), facts = facts_.assumed();
  const Slots before = frame_->values;
  const bool is_handled = frame_->tries > 0;
  body();
  if (b.has_due_guards()) {
    if (is_handled)
      b.open_guards();
    else
      note_failure();
    b.drop_due_guards();
  }
  facts_.forget(facts);
  if (b.guards() == guards) return;
  const Passed passed = passes();
  const std::vector<ir::Value> made = take(passed);
  std::vector<ir::Value> kept;
  std::vector<ir::Value> values = b.end_guards(guards, made, [&] {
    frame_->values = before;
    set_flag(frame_->returned_slot(), true);
    return kept = take(passed);
  });
  size_t k = 0;
  for (size_t slot = 0; slot < passed.slots.size(); ++slot) {
    // Where nothing handles what is raised, only that it was raised is looked at.
    const bool is_needed = is_handled || passed.slots[slot] == frame_->returned_slot();
    std::vector<DType> dtypes;
    append_scalars(passed.types[slot], dtypes);
    for (const size_t end = k + dtypes.size(); k < end; ++k) {
      const std::optional<int64_t> one = facts_.lower_bound(made[k]), other = facts_.lower_bound(kept[k]);
      if (one && other) facts_.set_lower_bound(values[k], std::min(*one, *other));
      if (made[k] == kept[k] || (!is_needed && b.is_visible(made[k]))) values[k] = made[k];
    }
  }
  frame_->values = before;
  give(passed, values);
}

/// What follows in the statement runs only where the condition holds; else something has been raised.
void Lowering::guard(ir::Value condition) {
  b.guard(condition);
  facts_.assume(condition, true);
}

void Lowering::branch(ir::Value condition, const Passed& passed, const std::function<void()>& then_body,
                      const std::function<void()>& else_body) {
  if (const Scalar* known = ir::constant_of(b.kernel(), condition)) {
    if (known->bytes[0]) {
      then_body();
    } else if (else_body) {
      else_body();
    }
    return;
  }
  const Slots before = frame_->values;
  std::vector<std::optional<int64_t>> limits;
  const auto side = [&](const std::function<void()>& body, bool holds) {
    return [&, holds](std::span<const ir::Value>) {
      frame_->values = before;
      ++frame_->depth;
      const size_t mark = facts_.assume(condition, holds);
      if (body) body();
      std::vector<ir::Value> values = take(passed);
      for (ir::Value value : values) limits.push_back(facts_.lower_bound(value));
      facts_.forget(mark);
      --frame_->depth;
      return values;
    };
  };
  const std::vector<ir::Value> results = b.if_(condition, side(then_body, true), side(else_body, false));
  for (size_t k = 0; k < results.size(); ++k) {
    const std::optional<int64_t>&one = limits[k], &other = limits[results.size() + k];
    if (one && other) facts_.set_lower_bound(results[k], std::min(*one, *other));
  }
  frame_->values = before;
  give(passed, results);
}

}  // namespace tessera::kernel
