// Loops: a `for` over a range is the IR's `for`; where break or return may leave it, it is a `while` that tests for
// that.
#include "tessera/kernel/lowering.h"

namespace tessera::kernel {

namespace {

Jumps jumps_inside(const Node& loop) {
  Jumps all;
  for (const Node& statement : loop.body) all.add(jumps(statement));
  return all;
}

}  // namespace

// What the body assigns is passed on where the next iteration or what follows reads it.
Lowering::Passed Lowering::begin_loop(const Node& loop, bool& breaks) {
  const Jumps inside = jumps_inside(loop);
  breaks = inside.breaks;
  frame_->loops.push_back(&loop);
  set_flag(broken_slot(frame_->loops.size() - 1), false);
  VariableSet live = frame_->liveness.head(loop);
  live.add(frame_->liveness.after(loop));
  Passed passed = passed_by({&loop, 1}, live);
  add_flags({.breaks = inside.breaks, .returns = inside.returns}, passed);
  return passed;
}

ir::Value Lowering::going_on(bool breaks, bool returns) {
  ir::Value left = b.constant(Scalar::of_bool(false));
  if (breaks) left = b.bit_or(left, flag(broken_slot(frame_->loops.size() - 1)));
  if (returns) left = b.bit_or(left, flag(returned_slot()));
  return b.bit_not(left);
}

void Lowering::lower_loop_body(const Node& loop) {
  set_flag(skipped_slot(frame_->loops.size() - 1), false);
  const int rests = std::exchange(frame_->rests, 0);
  lower_block(loop.body);
  frame_->rests = rests;
}

void Lowering::lower_other(const Node& loop, bool breaks) {
  const bool returns = jumps_inside(loop).returns;
  const ir::Value runs = loop.other.empty() ? ir::no_value : going_on(breaks, returns);
  frame_->loops.pop_back();
  if (loop.other.empty()) return;
  branch(runs, merged_after(loop.other), [&] { lower_block(loop.other); }, {});
}

void Lowering::lower_while(const Node& loop) {
  bool breaks = false;
  const Passed passed = begin_loop(loop, breaks);
  const bool returns = jumps_inside(loop).returns;
  const Slots before = frame_->values;
  const std::vector<ir::Value> initial = take(passed);
  ++frame_->depth;
  const auto test = [&](std::span<const ir::Value> args) {
    give(passed, args);
    const Node& condition = loop.operands[0];
    if (!breaks && !returns) return std::vector{lower_condition(condition)};
    const ir::Value goes_on = going_on(breaks, returns);
    if (is_cheap(condition)) return std::vector{both(goes_on, lower_condition(condition))};
    return b.if_(
        goes_on, [&](auto) { return std::vector{lower_condition(condition)}; },
        [&](auto) { return std::vector{b.constant(Scalar::of_bool(false))}; });
  };
  const std::vector<ir::Value> results = b.while_(initial, test, [&](std::span<const ir::Value> args) {
    give(passed, args);
    lower_loop_body(loop);
    return take(passed);
  });
  --frame_->depth;
  frame_->values = before;
  give(passed, results);
  lower_other(loop, breaks);
}

Lowering::Range Lowering::lower_range(const Node& loop) {
  const Node& call = loop.operands[1];
  if (call.operands.size() < 2 || call.operands.size() > 4 || !call.names.empty())
    fail(call, format("range takes one to three arguments, not {}", call.operands.size() - 1));
  std::vector<ir::Value> given;
  for (size_t k = 1; k < call.operands.size(); ++k) {
    const ir::Value value = lower_scalar(call.operands[k], "a bound of range");
    if (!is_integer(b.type(value)) && !is_boolean(b.type(value)))
      fail(call.operands[k], format("a bound of range is {}", b.type(value)), "an integer, such as int(x)");
    given.push_back(b.cast(value, DType::int64));
  }
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  if (given.size() == 1) return {zero, given[0], one};
  return {given[0], given[1], given.size() == 3 ? given[2] : one};
}

void Lowering::lower_for(const Node& loop) {
  const Node& over = loop.operands[1];
  const bool call = over.kind == NodeKind::call;
  const std::optional<Entity> callee = call ? entity_of(over.operands[0]) : std::nullopt;
  if (!callee || callee->kind != EntityKind::builtin || callee->name != "builtins.range") {
    const Item items = lower(over);
    if (items.type.kind != TypeKind::tuple)
      refuse(over, format("a loop over {}", describe(items.type)), "a loop over range(...), with an index into it");
    return unroll_tuple(loop, items);
  }
  const Range range = lower_range(loop);
  bool breaks = false;
  const Passed passed = begin_loop(loop, breaks);
  const bool leavable = breaks || jumps_inside(loop).returns;
  const Slots before = frame_->values;
  ++frame_->depth;
  if (leavable) {
    lower_leavable(loop, range, passed, breaks);
  } else {
    lower_counted(loop, range, passed);
  }
  --frame_->depth;
  Slots after = before;
  std::swap(after, frame_->values);
  for (int slot : passed.slots) frame_->values[slot] = after[slot];
  lower_other(loop, breaks);
}

void Lowering::lower_counted(const Node& loop, const Range& range, const Passed& passed) {
  const std::vector<ir::Value> initial = take(passed);
  give(passed, b.for_(range.lower, range.upper, range.step, initial, [&](std::span<const ir::Value> args) {
    give(passed, args.subspan(1));
    assign_target(loop.operands[0], scalar(args[0]));
    lower_loop_body(loop);
    return take(passed);
  }));
}

void Lowering::lower_leavable(const Node& loop, const Range& range, const Passed& passed, bool breaks) {
  const bool returns = jumps_inside(loop).returns;
  std::vector<ir::Value> initial = take(passed);
  initial.insert(initial.begin(), range.lower);
  const auto test = [&](std::span<const ir::Value> args) {
    give(passed, args.subspan(1));
    const ir::Value zero = b.constant(DType::int64, 0);
    const ir::Value up = both(b.gt(range.step, zero), b.lt(args[0], range.upper));
    const ir::Value down = both(b.lt(range.step, zero), b.gt(args[0], range.upper));
    return std::vector{both(going_on(breaks, returns), b.bit_or(up, down))};
  };
  const std::vector<ir::Value> results = b.while_(initial, test, [&](std::span<const ir::Value> args) {
    give(passed, args.subspan(1));
    assign_target(loop.operands[0], scalar(args[0]));
    lower_loop_body(loop);
    std::vector<ir::Value> next = take(passed);
    next.insert(next.begin(), b.add(args[0], range.step));
    return next;
  });
  give(passed, std::span(results).subspan(1));
}

// The elements of a tuple may differ in type, so the body is there once for each.
void Lowering::unroll_tuple(const Node& loop, const Item& items) {
  const Jumps inside = jumps_inside(loop);
  if (inside.any()) refuse(loop, "a loop over a tuple with break, continue or return", "a loop over range(...)");
  for (size_t k = 0; k < items.type.elements.size(); ++k) {
    assign_target(loop.operands[0], element(items, k));
    lower_block(loop.body);
  }
  lower_block(loop.other);
}

}  // namespace tessera::kernel
