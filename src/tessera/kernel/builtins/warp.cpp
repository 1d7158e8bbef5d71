// What the threads of a warp or of a block learn from each other: votes, shuffles, counts; and fences.
#include "tessera/kernel/builtins/builtins.h"

#include "tessera/kernel/lower/operator.h"

namespace tessera::kernel {

namespace {

using ir::Opcode;

using ir::Value;

Value word(Lowering& l, int64_t value) { return l.b.constant(Scalar::of_int(DType::uint32, value)); }

Value mask_of(Lowering& l, const Builtin& self, const Call& call) {
  const Type& type = call.args[0].type;
  if (!type.is_scalar() || !is_integer(type->dtype))
    l.fail(call.node, format("the mask of {} is {}", self.name, describe(type)), "an integer, such as 0xffffffff");
  return l.cast(call.args[0], DType::uint32);
}

/// The value as a word of 4 or 8 bytes.
Value word_of(Lowering& l, const Builtin& self, const Call& call) {
  const Type& type = call.args[1].type;
  if (!type.is_scalar() || is_complex(type->dtype) || type->dtype == DType::float16)
    l.fail(call.node, format("{} of {}", self.name, describe(type)), "an integer, a float32 or a float64");
  if (itemsize(type->dtype) >= 4) return call.args[1].values[0];
  return l.cast(call.args[1], is_unsigned_integer(type->dtype) ? DType::uint32 : DType::int32);
}

template <ir::ShuffleKind kind>
Item lower_shuffle(Lowering& l, const Builtin& self, const Call& call) {
  const Type& which = call.args[2].type;
  if (!which.is_scalar() || !is_integer(which->dtype))
    l.fail(call.node, format("{} by {}", self.name, describe(which)), "an integer");
  const Value x = word_of(l, self, call);
  return l.scalar(l.b.shuffle(kind, x, l.cast(call.args[2], DType::int32), mask_of(l, self, call)));
}

Value is_zero(Lowering& l, Value x) { return l.b.eq(x, l.b.zero_like(x)); }

Value negated(Lowering& l, Value condition) { return l.b.unary(Opcode::bit_not, condition); }

Value vote(Lowering& l, const Call& call, size_t at) { return truth(l, call.node, call.args[at]); }

// Lanes that do not exist vote in none: all hold where no lane votes against.
Item lower_all_sync(Lowering& l, const Builtin& self, const Call& call) {
  return l.scalar(is_zero(l, l.b.ballot(negated(l, vote(l, call, 1)), mask_of(l, self, call))));
}

Item lower_any(Lowering& l, const Builtin& self, const Call& call) {
  return l.scalar(negated(l, is_zero(l, l.b.ballot(vote(l, call, 1), mask_of(l, self, call)))));
}

Item lower_eq(Lowering& l, const Builtin& self, const Call& call) {
  const Value holds = vote(l, call, 1), mask = mask_of(l, self, call);
  const Value none = is_zero(l, l.b.ballot(holds, mask)), all = is_zero(l, l.b.ballot(negated(l, holds), mask));
  return l.scalar(l.b.bit_or(none, all));
}

Item lower_ballot(Lowering& l, const Builtin& self, const Call& call) {
  return l.scalar(l.b.ballot(vote(l, call, 1), mask_of(l, self, call)));
}

Item lower_match_any(Lowering& l, const Builtin& self, const Call& call) {
  return l.scalar(l.b.match_any(word_of(l, self, call), mask_of(l, self, call)));
}

// The lanes and true where all have the same value, else 0 and false.
Item lower_match_all(Lowering& l, const Builtin& self, const Call& call) {
  const Value mask = mask_of(l, self, call);
  const Value lanes = l.b.ballot(l.b.constant(Scalar::of_bool(true)), mask);
  const Value same = l.b.eq(l.b.match_any(word_of(l, self, call), mask), lanes);
  return tuple_of({l.scalar(l.b.select(same, lanes, word(l, 0))), l.scalar(same)});
}

Item lower_active_mask(Lowering& l, const Builtin&, const Call&) { return l.scalar(l.b.active_mask()); }

Item lower_lanes_below(Lowering& l, const Builtin&, const Call& call) {
  const Builtin& lane = *find_builtin("cuda.laneid");
  const Value bit = l.b.binary(Opcode::shift_left, word(l, 1), l.cast(lane.lower(l, lane, call), DType::uint32));
  return l.scalar(l.b.sub(bit, word(l, 1)));
}

Item lower_syncwarp(Lowering& l, const Builtin& self, const Call& call) {
  const Value mask = call.args[0].type->kind == TypeKind::none ? ir::no_value : mask_of(l, self, call);
  l.checks.check_meeting(call.node, ir::CheckCall::warp_barrier);
  l.b.warp_barrier(mask);
  return {};
}

/// The number of the block's lanes for which the condition holds.
Value count_in_block(Lowering& l, const Call& call, Value condition) {
  l.checks.check_meeting(call.node, ir::CheckCall::barrier);
  return l.b.barrier_count(condition);
}

Item lower_count(Lowering& l, const Builtin&, const Call& call) {
  return l.scalar(count_in_block(l, call, vote(l, call, 0)));
}

Item lower_and(Lowering& l, const Builtin&, const Call& call) {
  const Value all = is_zero(l, count_in_block(l, call, negated(l, vote(l, call, 0))));
  return l.scalar(l.b.cast(all, DType::int32));
}

Item lower_or(Lowering& l, const Builtin&, const Call& call) {
  const Value any = negated(l, is_zero(l, count_in_block(l, call, vote(l, call, 0))));
  return l.scalar(l.b.cast(any, DType::int32));
}

template <ir::FenceScope scope>
Item lower_fence(Lowering& l, const Builtin&, const Call& call) {
  l.checks.check_meeting(call.node, ir::CheckCall::fence);
  l.b.fence(scope);
  return {};
}

}  // namespace

void add_warp_builtins(std::vector<Builtin>& table) {
  using ir::FenceScope, ir::ShuffleKind;
  table.push_back({"cuda.shfl_sync", "mask value src_lane", lower_shuffle<ShuffleKind::index>});
  table.push_back({"cuda.shfl_up_sync", "mask value delta", lower_shuffle<ShuffleKind::up>});
  table.push_back({"cuda.shfl_down_sync", "mask value delta", lower_shuffle<ShuffleKind::down>});
  table.push_back({"cuda.shfl_xor_sync", "mask value lane_mask", lower_shuffle<ShuffleKind::exchange>});
  table.push_back({"cuda.all_sync", "mask predicate", lower_all_sync});
  table.push_back({"cuda.any_sync", "mask predicate", lower_any});
  table.push_back({"cuda.eq_sync", "mask predicate", lower_eq});
  table.push_back({"cuda.ballot_sync", "mask predicate", lower_ballot});
  table.push_back({"cuda.match_any_sync", "mask value", lower_match_any});
  table.push_back({"cuda.match_all_sync", "mask value", lower_match_all});
  table.push_back({"cuda.activemask", "", lower_active_mask});
  table.push_back({"cuda.lanemask_lt", "", lower_lanes_below});
  table.push_back({"cuda.syncwarp", "mask=", lower_syncwarp});
  table.push_back({"cuda.syncthreads_count", "predicate", lower_count});
  table.push_back({"cuda.syncthreads_and", "predicate", lower_and});
  table.push_back({"cuda.syncthreads_or", "predicate", lower_or});
  table.push_back({"cuda.threadfence_block", "", lower_fence<FenceScope::block>});
  table.push_back({"cuda.threadfence", "", lower_fence<FenceScope::device>});
  table.push_back({"cuda.threadfence_system", "", lower_fence<FenceScope::system>});
}

}  // namespace tessera::kernel
