// Regions: which variables a branch or a loop passes on, and how their values get in and out.
#include "tessera/kernel/lower/region.h"

#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/result.h"
#include "tessera/kernel/lower/variable.h"

namespace tessera::kernel {

Passed passed_by(const Lowering& l, std::span<const Node> statements, const VariableSet& live) {
  VariableSet assigned(l.frame->liveness.count());
  for (const Node& statement : statements) assigned.add(l.frame->liveness.assigned(statement));
  Passed passed;
  for (int slot = 0; slot < l.frame->returned_slot(); ++slot) {
    if (!assigned.has(slot) || !live.has(slot)) continue;
    const Type* type = type_of(l, slot);
    if (!type) {  // its first assignment is inside, after which this is done anew
      l.frame->unpassed.add(slot);
      continue;
    }
    passed.slots.push_back(slot);
    passed.types.push_back(*type);
  }
  return passed;
}

void add_flags(const Lowering& l, const Jumps& jumps, Passed& passed) {
  // Flags that nobody reads stay inside.
  const auto add = [&](int slot) {
    if (const Type* type = type_of(l, slot)) {
      passed.slots.push_back(slot);
      passed.types.push_back(*type);
    }
  };
  const bool is_read = l.frame->rests > 0;
  if (jumps.returns && (is_read || l.frame->tries > 0 || !l.frame->loops.empty() || may_end_without_result(l)))
    add(l.frame->returned_slot());
  if (jumps.returns) add(l.frame->result_slot());
  if (jumps.breaks) add(l.frame->broken_slot(l.frame->loops.size() - 1));
  if (jumps.continues && is_read) add(l.frame->skipped_slot(l.frame->loops.size() - 1));
}

// Where a statement may jump, what is read at the target counts as read after it.
Passed merged_after(const Lowering& l, std::span<const Node> statements) {
  VariableSet live = l.frame->liveness.after(statements.back());
  Jumps all;
  for (const Node& statement : statements) all.add(jumps(statement, l.failures.failing()));
  if (all.breaks) live.add(l.frame->liveness.after(*l.frame->loops.back()));
  if (all.continues) live.add(l.frame->liveness.head(*l.frame->loops.back()));
  Passed passed = passed_by(l, statements, live);
  add_flags(l, all, passed);
  return passed;
}

std::vector<ir::Value> take(Lowering& l, const Passed& passed) {
  std::vector<ir::Value> values;
  for (size_t k = 0; k < passed.slots.size(); ++k) {
    const VariableValue& held = l.frame->values[passed.slots[k]];
    const Item item = held ? l.convert(*held, passed.types[k]) : l.zero(passed.types[k]);
    values.insert(values.end(), item.values.begin(), item.values.end());
  }
  return values;
}

void give(Lowering& l, const Passed& passed, std::span<const ir::Value> values) {
  for (size_t k = 0; k < passed.slots.size(); ++k) {
    std::vector<DType> dtypes;
    append_scalars(passed.types[k], dtypes);
    const auto first = values.begin();
    Item item{passed.types[k], {first, first + static_cast<int64_t>(dtypes.size())}};
    // What the region has widened is so behind it, which saves a pass of inference.
    const Type* const type = l.known.infers() ? type_of(l, passed.slots[k]) : nullptr;
    l.frame->values[passed.slots[k]] = type ? l.convert(item, *type) : item;
    values = values.subspan(dtypes.size());
  }
}

/// Runs body, which ends where it raises. Handlers around it find the variables as they were before then.
void guarded(Lowering& l, const std::function<Passed()>& passes, const std::function<void()>& body) {
  ir::Builder& b = l.b;
  b.open_guards();  // those of the statement around, in which body is that of a function
  const size_t guards = b.guards(), facts = l.facts.assumed();
  const auto before = l.frame->values;
  const bool is_handled = l.frame->tries > 0;
  body();
  if (b.has_due_guards()) {
    if (is_handled)
      b.open_guards();
    else
      l.failures.note_failure();
    b.drop_due_guards();
  }
  l.facts.forget(facts);
  if (b.guards() == guards) return;
  const Passed passed = passes();
  const std::vector<ir::Value> made = take(l, passed);
  std::vector<ir::Value> kept;
  std::vector<ir::Value> values = b.end_guards(guards, made, [&] {
    l.frame->values = before;
    set_flag(l, l.frame->returned_slot(), true);
    return kept = take(l, passed);
  });
  size_t k = 0;
  for (size_t slot = 0; slot < passed.slots.size(); ++slot) {
    // Where nothing handles what is raised, only that it was raised is looked at.
    const bool is_needed = is_handled || passed.slots[slot] == l.frame->returned_slot();
    std::vector<DType> dtypes;
    append_scalars(passed.types[slot], dtypes);
    for (const size_t end = k + dtypes.size(); k < end; ++k) {
      const std::optional<int64_t> one = l.facts.lower_bound(made[k]), other = l.facts.lower_bound(kept[k]);
      if (one && other) l.facts.set_lower_bound(values[k], std::min(*one, *other));
      if (made[k] == kept[k] || (!is_needed && b.is_visible(made[k]))) values[k] = made[k];
    }
  }
  l.frame->values = before;
  give(l, passed, values);
}

/// What follows in the statement runs only where the condition holds; else something has been raised.
void guard(Lowering& l, ir::Value condition) {
  l.b.guard(condition);
  l.facts.assume(condition, true);
}

void branch(Lowering& l, ir::Value condition, const Passed& passed, const std::function<void()>& then_body,
            const std::function<void()>& else_body) {
  ir::Builder& b = l.b;
  if (const Scalar* known = ir::constant_of(b.kernel(), condition)) {
    if (known->bytes[0]) {
      then_body();
    } else if (else_body) {
      else_body();
    }
    return;
  }
  const auto before = l.frame->values;
  std::vector<std::optional<int64_t>> limits;
  const auto side = [&](const std::function<void()>& body, bool holds) {
    return [&, holds](std::span<const ir::Value>) {
      l.frame->values = before;
      ++l.frame->depth;
      const size_t mark = l.facts.assume(condition, holds);
      if (body) body();
      std::vector<ir::Value> values = take(l, passed);
      for (ir::Value value : values) limits.push_back(l.facts.lower_bound(value));
      l.facts.forget(mark);
      --l.frame->depth;
      return values;
    };
  };
  const std::vector<ir::Value> results = b.if_(condition, side(then_body, true), side(else_body, false));
  for (size_t k = 0; k < results.size(); ++k) {
    const std::optional<int64_t>&one = limits[k], &other = limits[results.size() + k];
    if (one && other) l.facts.set_lower_bound(results[k], std::min(*one, *other));
  }
  l.frame->values = before;
  give(l, passed, results);
}

}  // namespace tessera::kernel
