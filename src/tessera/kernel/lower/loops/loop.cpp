// Loops: a `for` over a range is the IR's `for`; where break or return may leave it, it is a `while` that tests for
// that.
#include "tessera/kernel/lower/loops/loop.h"

#include <algorithm>

#include "tessera/ir/loop_index.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/lower/statement.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/values/array/released.h"

namespace tessera::kernel {

namespace {

/// Whether handlers stand in the block: what they read of a failure is one for all threads.
bool has_try(std::span<const Node> block) {
  return std::ranges::any_of(block, [](const Node& statement) {
    return statement.kind == NodeKind::try_ || has_try(statement.body) || has_try(statement.other);
  });
}

ir::Value going_on(Lowering& l, bool breaks, bool returns) {
  ir::Builder& b = l.b;
  ir::Value left = b.constant(Scalar::of_bool(false));
  if (breaks) left = b.bit_or(left, flag(l, l.frame->broken_slot(l.frame->loops.size() - 1)));
  if (returns) left = b.bit_or(left, flag(l, l.frame->returned_slot()));
  return b.bit_not(left);
}

void lower_loop_body(Lowering& l, const Node& loop) {
  set_flag(l, l.frame->skipped_slot(l.frame->loops.size() - 1), false);
  const int rests = std::exchange(l.frame->rests, 0);
  lower_block(l, loop.body);
  l.frame->rests = rests;
}

void lower_iteration(Lowering& l, const Node& loop, const Sequence& sequence, const Passed& passed, ir::Value k) {
  const auto passes = [&] { return passed; };
  const auto body = [&] {
    assign_target(l, loop.operands[0], sequence.element(k));
    lower_loop_body(l, loop);
  };
  releasing(l, loop, passes, [&] { guarded(l, passes, body); });
}

void bound_counter(Lowering& l, const Range& range, ir::Value counter) {
  const Scalar* step = l.constant_of(l.scalar(range.step));
  const std::optional<int64_t> lower = l.facts.lower_bound(range.lower), upper = l.facts.lower_bound(range.upper);
  if (step && step->as_int() > 0 && lower) l.facts.set_lower_bound(counter, *lower);
  if (step && step->as_int() < 0 && upper) l.facts.set_lower_bound(counter, *upper + 1);
  if (!step && lower && upper) l.facts.set_lower_bound(counter, std::min(*lower, *upper + 1));
}

// In an iteration the counter has not reached the end, which so is above the beginning.
size_t assume_within(Lowering& l, const Range& range, ir::Value counter) {
  const Scalar* step = l.constant_of(l.scalar(range.step));
  const bool counts_up = step && step->as_int() > 0;
  return counts_up ? l.facts.assume_less(counter, range.upper) : l.facts.assumed();
}

typed::PathNumber carried_key(const Lowering& l, const Node& loop, size_t k) {
  return l.known.path(l.frame->path, loop.place, static_cast<int64_t>(k));
}

// What a loop carries and is not negative before it is taken not to become negative. Where the body shows otherwise and
// the assumption has been used, the next pass does without. Lowering assumes what inference has found to stay so.
void expect_bounds(Lowering& l, const Node& loop, std::span<const ir::Value> initial, std::span<const ir::Value> args) {
  for (size_t k = 0; k < args.size(); ++k) {
    if (!is_signed_integer(l.b.type(args[k]))) continue;
    const typed::PathNumber key = carried_key(l, loop, k);
    const bool is_taken = l.known.infers() ? !l.known->variables.may_be_negative.contains(key)
                                           : l.known->variables.stays_non_negative.contains(key);
    if (is_taken && l.facts.is_non_negative(initial[k])) l.facts.expect_non_negative(args[k]);
  }
}

void check_bounds(Lowering& l, const Node& loop, std::span<const ir::Value> args, std::span<const ir::Value> next) {
  for (size_t k = 0; k < args.size(); ++k) {
    if (l.facts.keeps_expectation(next[k])) {
      if (l.known.infers()) l.known.add().variables.stays_non_negative.insert(carried_key(l, loop, k));
    } else if (l.facts.refute(args[k])) {
      typed::Variables& variables = l.known.change().variables;
      variables.may_be_negative.insert(carried_key(l, loop, k));
      variables.stays_non_negative.erase(carried_key(l, loop, k));
    }
  }
}

void keep_bounds(Lowering& l, std::span<const ir::Value> carried, std::span<const ir::Value> results) {
  for (size_t k = 0; k < results.size(); ++k) {
    if (l.facts.is_non_negative(carried[k])) l.facts.set_lower_bound(results[k], 0);
  }
}

// The elements of a tuple may differ in type, so the body is there once for each.
void unroll_tuple(Lowering& l, const Node& loop, const Item& items) {
  bool breaks = false;
  const bool returns = jumps_inside(l, loop).returns;
  // What lives within one iteration has a type of its own in each.
  const VariableSet assigned = l.frame->liveness.assigned(loop);
  const auto lives_on = [&](int v) {
    return l.frame->liveness.head(loop).has(v) || l.frame->liveness.after(loop).has(v);
  };
  Frame& frame = *l.frame;
  struct Back {
    Frame& frame;
    std::map<int, typed::PathNumber> unrolled = frame.unrolled;
    typed::PathNumber turn = frame.turn;
    void restore() const { frame.unrolled = unrolled, frame.turn = turn; }
    ~Back() { restore(); }
  } const outer{frame};
  const Passed passed = begin_loop(l, loop, breaks);
  for (size_t k = 0; k < items.type->elements.size(); ++k) {
    l.frame->turn = l.known.path(outer.turn, loop.place, -1 - static_cast<int64_t>(k));
    for (int v = 0; v < static_cast<int>(l.frame->liveness.count()); ++v) {
      if (assigned.has(v) && !lives_on(v)) l.frame->unrolled[v] = l.frame->turn;
    }
    const auto body = [&] {
      assign_target(l, loop.operands[0], element(items, k));
      lower_loop_body(l, loop);
    };
    if (k == 0 || !(breaks || returns)) {
      body();
    } else {
      branch(l, going_on(l, breaks, returns), passed, body, {});
    }
  }
  outer.restore();
  lower_other(l, loop, breaks);
}

}  // namespace

namespace {

/// Whether the condition holds, and nothing has been raised by what computes it.
ir::Value holds_unless_raised(Lowering& l, const std::function<ir::Value()>& condition) {
  ir::Builder& b = l.b;
  const size_t guards = b.guards(), facts = l.facts.assumed();
  const int depth = l.frame->depth;
  ir::Value holds = condition();
  if (b.has_due_guards()) holds = b.bit_and(holds, b.bit_not(l.failures.failed()));
  b.drop_due_guards();
  l.facts.forget(facts);
  l.frame->depth = depth;
  return b.end_guards(guards, {holds})[0];
}

/// Over a generator, which is asked before each iteration.
void lower_advancing(Lowering& l, const Node& loop, const Sequence& sequence, const Passed& passed, bool breaks) {
  ir::Builder& b = l.b;
  const bool returns = jumps_inside(l, loop).returns;
  const std::vector<ir::Value> first = take(l, passed);
  std::vector<ir::Value> initial{l.number(0)}, carried, tested;
  initial.insert(initial.end(), first.begin(), first.end());
  const auto test = [&](std::span<const ir::Value> args) {
    tested.assign(args.begin() + 1, args.end());
    give(l, passed, tested);
    expect_bounds(l, loop, first, tested);
    const auto has_next = [&] { return holds_unless_raised(l, [&] { return sequence.advance(args[0]); }); };
    if (!breaks && !returns) return std::vector{has_next()};
    return b.if_(
        going_on(l, breaks, returns), [&](auto) { return std::vector{has_next()}; },
        [&](auto) { return std::vector{b.constant(Scalar::of_bool(false))}; });
  };
  const std::vector<ir::Value> results = b.while_(initial, test, [&](std::span<const ir::Value> args) {
    carried.assign(args.begin() + 1, args.end());
    l.facts.set_lower_bound(args[0], 0);
    expect_bounds(l, loop, first, carried);
    give(l, passed, carried);
    lower_iteration(l, loop, sequence, passed, args[0]);
    const std::vector<ir::Value> passed_on = take(l, passed);
    check_bounds(l, loop, carried, passed_on);
    check_bounds(l, loop, tested, passed_on);
    std::vector<ir::Value> next{b.add(args[0], l.number(1))};
    next.insert(next.end(), passed_on.begin(), passed_on.end());
    return next;
  });
  keep_bounds(l, carried, std::span(results).subspan(1));
  give(l, passed, std::span(results).subspan(1));
}

}  // namespace

// What the body assigns is passed on where the next iteration or what follows reads it.
Passed begin_loop(Lowering& l, const Node& loop, bool& breaks) {
  const Jumps inside = jumps_inside(l, loop);
  breaks = inside.breaks;
  l.frame->loops.push_back(&loop);
  set_flag(l, l.frame->broken_slot(l.frame->loops.size() - 1), false);
  VariableSet live = l.frame->liveness.head(loop);
  live.add(l.frame->liveness.after(loop));
  Passed passed = passed_by(l, {&loop, 1}, live);
  add_flags(l, {.breaks = inside.breaks, .returns = inside.returns}, passed);
  return passed;
}

void lower_other(Lowering& l, const Node& loop, bool breaks) {
  const bool returns = jumps_inside(l, loop).returns || l.failures.fails(loop);
  const ir::Value runs = loop.other.empty() ? ir::no_value : going_on(l, breaks, returns);
  l.frame->loops.pop_back();
  if (loop.other.empty()) return;
  branch(l, runs, merged_after(l, loop.other), [&] { lower_block(l, loop.other); }, {});
}

void lower_while(Lowering& l, const Node& loop) {
  ir::Builder& b = l.b;
  bool breaks = false;
  const Passed passed = begin_loop(l, loop, breaks);
  const bool returns = jumps_inside(l, loop).returns;
  const auto is_true = [&](const Node& condition) {
    return holds_unless_raised(l, [&] { return l.lower_condition(condition); });
  };
  const auto before = l.frame->values;
  const std::vector<ir::Value> initial = take(l, passed);
  ++l.frame->depth;
  std::vector<ir::Value> carried, tested;
  const auto test = [&](std::span<const ir::Value> args) {
    tested.assign(args.begin(), args.end());
    expect_bounds(l, loop, initial, tested);
    give(l, passed, args);
    const Node& condition = loop.operands[0];
    if (!breaks && !returns) return std::vector{is_true(condition)};
    const ir::Value goes_on = going_on(l, breaks, returns);
    if (is_cheap(l, condition)) return std::vector{both(l, goes_on, l.lower_condition(condition))};
    return b.if_(
        goes_on, [&](auto) { return std::vector{is_true(condition)}; },
        [&](auto) { return std::vector{b.constant(Scalar::of_bool(false))}; });
  };
  const std::vector<ir::Value> results = b.while_(initial, test, [&](std::span<const ir::Value> args) {
    carried.assign(args.begin(), args.end());
    expect_bounds(l, loop, initial, carried);
    give(l, passed, args);
    releasing(l, loop, [&] { return passed; }, [&] { lower_loop_body(l, loop); });
    std::vector<ir::Value> next = take(l, passed);
    check_bounds(l, loop, carried, next);
    check_bounds(l, loop, tested, next);
    return next;
  });
  keep_bounds(l, carried, results);
  --l.frame->depth;
  l.frame->values = before;
  give(l, passed, results);
  if (l.failures.fails(loop)) l.failures.note_failure();
  lower_other(l, loop, breaks);
}

Range lower_range(Lowering& l, const Node& call) {
  ir::Builder& b = l.b;
  if (call.operands.size() < 2 || call.operands.size() > 4 || !call.names.empty())
    l.fail(call, format("range takes one to three arguments, not {}", call.operands.size() - 1));
  std::vector<ir::Value> given;
  for (size_t k = 1; k < call.operands.size(); ++k) {
    const ir::Value value = l.lower_scalar(call.operands[k], "a bound of range");
    if (!is_integer(b.type(value)) && !is_boolean(b.type(value)))
      l.fail(call.operands[k], format("a bound of range is {}", b.type(value)), "an integer, such as int(x)");
    given.push_back(b.cast(value, DType::int64));
  }
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const Scalar* known = given.size() == 3 ? l.constant_of(l.scalar(given[2])) : nullptr;
  const bool may_be_zero =
      given.size() == 3 && (known ? known->as_int() == 0 : l.facts.lower_bound(given[2]).value_or(0) < 1);
  if (may_be_zero && l.options.is_function) {
    l.failures.raise_if(call, b.eq(given[2], zero), ExceptionNumber::value_error, "range() arg 3 must not be zero");
  }
  if (given.size() == 1) return {zero, given[0], one};
  return {given[0], given[1], given.size() == 3 ? given[2] : one};
}

void lower_for(Lowering& l, const Node& loop) {
  const Sequence sequence = sequence_of(l, loop.operands[1]);
  if (sequence.close)
    return l.failures.lower_with_end(loop, [&] { lower_for_over(l, loop, sequence); }, sequence.close);
  const bool defers = jumps_inside(l, loop).returns && l.failures.can_defer(loop, sequence);
  defers ? l.failures.lower_deferring(loop, sequence) : lower_for_over(l, loop, sequence);
}

void lower_for_over(Lowering& l, const Node& loop, const Sequence& sequence) {
  if (sequence.tuple) return unroll_tuple(l, loop, *sequence.tuple);
  // Of what raises in iterations that run at once, the first in order is not known: handlers want loops in order.
  bool is_caught = has_try(loop.body);
  for (const Frame* frame = l.frame; frame; frame = frame->caller) is_caught |= frame->tries > 0;
  if (sequence.is_parallel && l.parallel.depth() == 0 && !is_caught) return l.parallel.lower(loop, sequence);
  if (sequence.is_parallel) l.parallel.note({ParallelNote::Kind::in_order, loop.place.line});
  bool breaks = false;
  const Passed passed = begin_loop(l, loop, breaks);
  const bool leavable = breaks || jumps_inside(l, loop).returns || sequence.upper;
  const auto before = l.frame->values;
  ++l.frame->depth;
  if (sequence.advance) {
    lower_advancing(l, loop, sequence, passed, breaks);
  } else if (leavable) {
    lower_leavable(l, loop, sequence, passed, breaks);
  } else {
    lower_counted(l, loop, sequence, passed);
  }
  --l.frame->depth;
  auto after = before;
  std::swap(after, l.frame->values);
  for (int slot : passed.slots) l.frame->values[slot] = after[slot];
  if (sequence.advance && l.failures.fails(loop)) l.failures.note_failure();
  lower_other(l, loop, breaks);
}

void lower_counted(Lowering& l, const Node& loop, const Sequence& sequence, const Passed& passed) {
  const std::vector<ir::Value> initial = take(l, passed);
  const Range& range = sequence.range;
  std::vector<ir::Value> carried;
  const auto iterate = [&](std::span<const ir::Value> args) {
    carried.assign(args.begin() + 1, args.end());
    bound_counter(l, range, args[0]);
    const size_t known = assume_within(l, range, args[0]);
    l.failures.note_counter(args[0]);
    expect_bounds(l, loop, initial, carried);
    give(l, passed, carried);
    lower_iteration(l, loop, sequence, passed, args[0]);
    l.facts.forget(known);
    std::vector<ir::Value> next = take(l, passed);
    check_bounds(l, loop, carried, next);
    return next;
  };
  const uint8_t attr = sequence.is_parallel ? ir::free_sums : 0;
  const auto results = l.b.for_(range.lower, range.upper, range.step, initial, iterate, attr);
  keep_bounds(l, carried, results);
  give(l, passed, results);
}

ir::Value is_before(Lowering& l, ir::Value index, ir::Value bound, ir::Value step) {
  ir::Builder& b = l.b;
  const ir::Value zero = b.constant(DType::int64, 0);
  return b.bit_or(both(l, b.gt(step, zero), b.lt(index, bound)), both(l, b.lt(step, zero), b.gt(index, bound)));
}

void lower_leavable(Lowering& l, const Node& loop, const Sequence& sequence, const Passed& passed, bool breaks) {
  ir::Builder& b = l.b;
  const Range& range = sequence.range;
  const bool returns = jumps_inside(l, loop).returns;
  const std::vector<ir::Value> first = take(l, passed);
  // The index and, where the next one may be no int64, how far the bound is.
  std::vector<ir::Value> initial{range.lower};
  const bool may_leave = ir::may_leave_int64(b.kernel(), range.upper, range.step);
  const Distances distances = may_leave ? distances_of(l, range) : Distances{};
  if (may_leave) initial.push_back(distances.whole);
  const size_t own = initial.size();
  initial.insert(initial.end(), first.begin(), first.end());
  std::vector<ir::Value> carried, tested;
  const auto test = [&](std::span<const ir::Value> args) {
    tested.assign(args.begin() + own, args.end());
    give(l, passed, tested);
    expect_bounds(l, loop, first, tested);
    const ir::Value upper = sequence.upper ? sequence.upper() : range.upper;
    const ir::Value runs = may_leave ? b.ne(args[1], b.zero_like(args[1])) : is_before(l, args[0], upper, range.step);
    return std::vector{both(l, going_on(l, breaks, returns), runs)};
  };
  const std::vector<ir::Value> results = b.while_(initial, test, [&](std::span<const ir::Value> args) {
    carried.assign(args.begin() + own, args.end());
    bound_counter(l, range, args[0]);
    const size_t known = assume_within(l, range, args[0]);
    expect_bounds(l, loop, first, carried);
    give(l, passed, carried);
    lower_iteration(l, loop, sequence, passed, args[0]);
    l.facts.forget(known);
    const std::vector<ir::Value> passed_on = take(l, passed);
    check_bounds(l, loop, carried, passed_on);
    check_bounds(l, loop, tested, passed_on);
    std::vector<ir::Value> next{b.add(args[0], range.step)};
    if (may_leave) next.push_back(b.sub(b.max(args[1], distances.step), distances.step));
    next.insert(next.end(), passed_on.begin(), passed_on.end());
    return next;
  });
  keep_bounds(l, carried, std::span(results).subspan(own));
  give(l, passed, std::span(results).subspan(own));
}

}  // namespace tessera::kernel
