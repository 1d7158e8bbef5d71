// Loops: a `for` over a range is the IR's `for`; where break or return may leave it, it is a `while` that tests for
// that.
#include <algorithm>

#include "tessera/ir/loop_index.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

namespace {

std::string iteration_of(const std::map<int, std::string>& turns, int variable) {
  const auto found = turns.find(variable);
  return found == turns.end() ? "" : found->second;
}

/// Whether handlers stand in the block: what they read of a failure is one for all threads.
bool has_try(std::span<const Node> block) {
  return std::ranges::any_of(block, [](const Node& statement) {
    return statement.kind == NodeKind::try_ || has_try(statement.body) || has_try(statement.other);
  });
}

}  // namespace

// What the body assigns is passed on where the next iteration or what follows reads it.
Lowering::Passed Lowering::begin_loop(const Node& loop, bool& breaks) {
  const Jumps inside = jumps_inside(loop);
  breaks = inside.breaks;
  frame_->loops.push_back(&loop);
  set_flag(frame_->broken_slot(frame_->loops.size() - 1), false);
  VariableSet live = frame_->liveness.head(loop);
  live.add(frame_->liveness.after(loop));
  Passed passed = passed_by({&loop, 1}, live);
  add_flags({.breaks = inside.breaks, .returns = inside.returns}, passed);
  return passed;
}

ir::Value Lowering::going_on(bool breaks, bool returns) {
  ir::Value left = b.constant(Scalar::of_bool(false));
  if (breaks) left = b.bit_or(left, flag(frame_->broken_slot(frame_->loops.size() - 1)));
  if (returns) left = b.bit_or(left, flag(frame_->returned_slot()));
  return b.bit_not(left);
}

void Lowering::lower_loop_body(const Node& loop) {
  set_flag(frame_->skipped_slot(frame_->loops.size() - 1), false);
  const int rests = std::exchange(frame_->rests, 0);
  lower_block(loop.body);
  frame_->rests = rests;
}

void Lowering::lower_iteration(const Node& loop, const Sequence& sequence, const Passed& passed, ir::Value k) {
  guarded([&] { return passed; },
          [&] {
            assign_target(loop.operands[0], sequence.element(k));
            lower_loop_body(loop);
          });
}

void Lowering::lower_other(const Node& loop, bool breaks) {
  const bool returns = jumps_inside(loop).returns || fails(loop);
  const ir::Value runs = loop.other.empty() ? ir::no_value : going_on(breaks, returns);
  frame_->loops.pop_back();
  if (loop.other.empty()) return;
  branch(runs, merged_after(loop.other), [&] { lower_block(loop.other); }, {});
}

void Lowering::lower_while(const Node& loop) {
  bool breaks = false;
  const Passed passed = begin_loop(loop, breaks);
  const bool returns = jumps_inside(loop).returns;
  const auto is_true = [&](const Node& condition) {
    const size_t guards = b.guards(), facts = facts_.assumed();
    const int depth = frame_->depth;
    ir::Value holds = lower_condition(condition);
    if (b.has_due_guards()) holds = b.bit_and(holds, b.bit_not(failed()));
    b.drop_due_guards();
    facts_.forget(facts);
    frame_->depth = depth;
    return b.end_guards(guards, {holds})[0];
  };
  const Slots before = frame_->values;
  const std::vector<ir::Value> initial = take(passed);
  ++frame_->depth;
  std::vector<ir::Value> carried, tested;
  const auto test = [&](std::span<const ir::Value> args) {
    tested.assign(args.begin(), args.end());
    expect_bounds(loop, initial, tested);
    give(passed, args);
    const Node& condition = loop.operands[0];
    if (!breaks && !returns) return std::vector{is_true(condition)};
    const ir::Value goes_on = going_on(breaks, returns);
    if (is_cheap(condition)) return std::vector{both(goes_on, lower_condition(condition))};
    return b.if_(
        goes_on, [&](auto) { return std::vector{is_true(condition)}; },
        [&](auto) { return std::vector{b.constant(Scalar::of_bool(false))}; });
  };
  const std::vector<ir::Value> results = b.while_(initial, test, [&](std::span<const ir::Value> args) {
    carried.assign(args.begin(), args.end());
    expect_bounds(loop, initial, carried);
    give(passed, args);
    lower_loop_body(loop);
    std::vector<ir::Value> next = take(passed);
    check_bounds(loop, carried, next);
    check_bounds(loop, tested, next);
    return next;
  });
  keep_bounds(carried, results);
  --frame_->depth;
  frame_->values = before;
  give(passed, results);
  if (fails(loop)) note_failure();
  lower_other(loop, breaks);
}

Lowering::Range Lowering::lower_range(const Node& call) {
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
  const Scalar* known = given.size() == 3 ? constant_of(scalar(given[2])) : nullptr;
  const bool may_be_zero =
      given.size() == 3 && (known ? known->as_int() == 0 : facts_.lower_bound(given[2]).value_or(0) < 1);
  if (may_be_zero && options_.is_function) {
    raise_if(call, b.eq(given[2], zero), ExceptionNumber::value_error, "range() arg 3 must not be zero");
  }
  if (given.size() == 1) return {zero, given[0], one};
  return {given[0], given[1], given.size() == 3 ? given[2] : one};
}

void Lowering::lower_for(const Node& loop) {
  const Sequence sequence = sequence_of(loop.operands[1]);
  const bool defers = jumps_inside(loop).returns && can_defer(loop, sequence);
  defers ? lower_deferring(loop, sequence) : lower_for_over(loop, sequence);
}

void Lowering::lower_for_over(const Node& loop, const Sequence& sequence) {
  if (sequence.tuple) return unroll_tuple(loop, *sequence.tuple);
  // Of what raises in iterations that run at once, the first in order is not known: handlers want loops in order.
  bool is_caught = has_try(loop.body);
  for (const Frame* frame = frame_; frame; frame = frame->caller) is_caught |= frame->tries > 0;
  if (sequence.is_parallel && parallel_depth_ == 0 && !is_caught) return lower_parallel(loop, sequence);
  if (sequence.is_parallel) parallel_notes_.push_back({ParallelNote::Kind::in_order, loop.place.line});
  bool breaks = false;
  const Passed passed = begin_loop(loop, breaks);
  const bool leavable = breaks || jumps_inside(loop).returns || sequence.upper;
  const Slots before = frame_->values;
  ++frame_->depth;
  if (leavable) {
    lower_leavable(loop, sequence, passed, breaks);
  } else {
    lower_counted(loop, sequence, passed);
  }
  --frame_->depth;
  Slots after = before;
  std::swap(after, frame_->values);
  for (int slot : passed.slots) frame_->values[slot] = after[slot];
  lower_other(loop, breaks);
}

void Lowering::bound_counter(const Range& range, ir::Value counter) {
  const Scalar* step = constant_of(scalar(range.step));
  const std::optional<int64_t> lower = facts_.lower_bound(range.lower), upper = facts_.lower_bound(range.upper);
  if (step && step->as_int() > 0 && lower) facts_.set_lower_bound(counter, *lower);
  if (step && step->as_int() < 0 && upper) facts_.set_lower_bound(counter, *upper + 1);
  if (!step && lower && upper) facts_.set_lower_bound(counter, std::min(*lower, *upper + 1));
}

// In an iteration the counter has not reached the end, which so is above the beginning.
size_t Lowering::assume_within(const Range& range, ir::Value counter) {
  const Scalar* step = constant_of(scalar(range.step));
  const bool counts_up = step && step->as_int() > 0;
  return counts_up ? facts_.assume_less(counter, range.upper) : facts_.assumed();
}

// What a loop carries and is not negative before it is taken not to become negative. Where the body shows otherwise and
// the assumption has been used, the next run does without.
void Lowering::expect_bounds(const Node& loop, std::span<const ir::Value> initial, std::span<const ir::Value> args) {
  for (size_t k = 0; k < args.size(); ++k) {
    if (!is_signed_integer(b.type(args[k])) || known_.may_be_negative.contains(carried_key(loop, k))) continue;
    if (facts_.is_non_negative(initial[k])) facts_.expect_non_negative(args[k]);
  }
}

void Lowering::check_bounds(const Node& loop, std::span<const ir::Value> args, std::span<const ir::Value> next) {
  for (size_t k = 0; k < args.size(); ++k) {
    if (facts_.keeps_expectation(next[k])) continue;
    if (facts_.refute(args[k])) {
      known_.may_be_negative.insert(carried_key(loop, k));
      changed_ = true;
    }
  }
}

std::string Lowering::carried_key(const Node& loop, size_t k) const {
  return format("{}:{}:{}#{}", frame_->path, loop.place.line, loop.place.column, k);
}

void Lowering::lower_counted(const Node& loop, const Sequence& sequence, const Passed& passed) {
  const std::vector<ir::Value> initial = take(passed);
  const Range& range = sequence.range;
  std::vector<ir::Value> carried;
  const auto iterate = [&](std::span<const ir::Value> args) {
    carried.assign(args.begin() + 1, args.end());
    bound_counter(range, args[0]);
    const size_t known = assume_within(range, args[0]);
    if (deferral_ && deferral_->counter == ir::no_value) deferral_->counter = args[0];
    expect_bounds(loop, initial, carried);
    give(passed, carried);
    lower_iteration(loop, sequence, passed, args[0]);
    facts_.forget(known);
    std::vector<ir::Value> next = take(passed);
    check_bounds(loop, carried, next);
    return next;
  };
  const uint8_t attr = sequence.is_parallel ? ir::free_sums : 0;
  const auto results = b.for_(range.lower, range.upper, range.step, initial, iterate, attr);
  keep_bounds(carried, results);
  give(passed, results);
}

void Lowering::keep_bounds(std::span<const ir::Value> carried, std::span<const ir::Value> results) {
  for (size_t k = 0; k < results.size(); ++k) {
    if (facts_.is_non_negative(carried[k])) facts_.set_lower_bound(results[k], 0);
  }
}

ir::Value Lowering::is_before(ir::Value index, ir::Value bound, ir::Value step) {
  const ir::Value zero = b.constant(DType::int64, 0);
  return b.bit_or(both(b.gt(step, zero), b.lt(index, bound)), both(b.lt(step, zero), b.gt(index, bound)));
}

void Lowering::lower_leavable(const Node& loop, const Sequence& sequence, const Passed& passed, bool breaks) {
  const Range& range = sequence.range;
  const bool returns = jumps_inside(loop).returns;
  const std::vector<ir::Value> first = take(passed);
  // The index and, where the next one may be no int64, how far the bound is.
  std::vector<ir::Value> initial{range.lower};
  const bool may_leave = ir::may_leave_int64(b.kernel(), range.upper, range.step);
  const Distances distances = may_leave ? distances_of(range) : Distances{};
  if (may_leave) initial.push_back(distances.whole);
  const size_t own = initial.size();
  initial.insert(initial.end(), first.begin(), first.end());
  std::vector<ir::Value> carried, tested;
  const auto test = [&](std::span<const ir::Value> args) {
    tested.assign(args.begin() + own, args.end());
    give(passed, tested);
    expect_bounds(loop, first, tested);
    const ir::Value upper = sequence.upper ? sequence.upper() : range.upper;
    const ir::Value runs = may_leave ? b.ne(args[1], b.zero_like(args[1])) : is_before(args[0], upper, range.step);
    return std::vector{both(going_on(breaks, returns), runs)};
  };
  const std::vector<ir::Value> results = b.while_(initial, test, [&](std::span<const ir::Value> args) {
    carried.assign(args.begin() + own, args.end());
    bound_counter(range, args[0]);
    const size_t known = assume_within(range, args[0]);
    expect_bounds(loop, first, carried);
    give(passed, carried);
    lower_iteration(loop, sequence, passed, args[0]);
    facts_.forget(known);
    const std::vector<ir::Value> passed_on = take(passed);
    check_bounds(loop, carried, passed_on);
    check_bounds(loop, tested, passed_on);
    std::vector<ir::Value> next{b.add(args[0], range.step)};
    if (may_leave) next.push_back(b.sub(b.max(args[1], distances.step), distances.step));
    next.insert(next.end(), passed_on.begin(), passed_on.end());
    return next;
  });
  keep_bounds(carried, std::span(results).subspan(own));
  give(passed, std::span(results).subspan(own));
}

// The elements of a tuple may differ in type, so the body is there once for each.
void Lowering::unroll_tuple(const Node& loop, const Item& items) {
  bool breaks = false;
  const bool returns = jumps_inside(loop).returns;
  // What lives within one iteration has a type of its own in each.
  const VariableSet assigned = frame_->liveness.assigned(loop);
  const auto lives_on = [&](int v) {
    return frame_->liveness.head(loop).has(v) || frame_->liveness.after(loop).has(v);
  };
  const auto outer = frame_->unrolled;
  const std::string outer_turn = frame_->turn;
  const Passed passed = begin_loop(loop, breaks);
  for (size_t k = 0; k < items.type.elements.size(); ++k) {
    frame_->turn = format("{}#{}:{}", outer_turn, loop.place.line, k);
    for (int v = 0; v < static_cast<int>(frame_->liveness.count()); ++v) {
      if (assigned.has(v) && !lives_on(v))
        frame_->unrolled[v] = format("{}#{}:{}", iteration_of(outer, v), loop.place.line, k);
    }
    const auto body = [&] {
      assign_target(loop.operands[0], element(items, k));
      lower_loop_body(loop);
    };
    if (k == 0 || !(breaks || returns)) {
      body();
    } else {
      branch(going_on(breaks, returns), passed, body, {});
    }
  }
  frame_->unrolled = outer;
  frame_->turn = outer_turn;
  lower_other(loop, breaks);
}

}  // namespace tessera::kernel
