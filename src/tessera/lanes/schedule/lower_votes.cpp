#include "tessera/lanes/schedule/lower_votes.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/ir/opcode.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::ShuffleKind;
using ir::Value;

namespace {

constexpr DType u32 = DType::uint32;

}  // namespace

Value VoteLowering::both(Value a, Value b) {
  return a == ir::no_value ? b : b == ir::no_value ? a : write(Opcode::bit_and, DType::boolean, {a, b});
}

Value VoteLowering::lower_meeting(Value v, Value mask) {
  const ir::Instruction& i = from_.instructions[v];
  const Values operands = mapped(from_.operands(v));
  switch (i.op) {
    case Opcode::barrier:
    case Opcode::grid_barrier: return append(i, {});
    case Opcode::warp_barrier: return append({.op = Opcode::warp_barrier}, {});
    case Opcode::barrier_count: return append(i, {both(operands[0], mask)});
    case Opcode::ballot: {
      const Value votes = ballot(both(operands[0], mask));
      return operands.size() == 1 ? votes : write(Opcode::bit_and, u32, {votes, operands[1]});
    }
    case Opcode::active_mask: return running(mask);
    case Opcode::shuffle: return lower_shuffle(i, operands[0], operands[1], mask);
    case Opcode::match_any: return write(Opcode::bit_and, u32, {lower_match(operands[0], mask), operands[1]});
    case Opcode::match_byte: return lower_match(write(Opcode::bit_and, u32, {operands[0], integer(u32, 255)}), mask);
    default: invariant(false, "lanes: {} is no meeting point", ir::name(i.op));
  }
  return ir::no_value;
}

/// This lane's number in its warp, uint32, computed at the beginning of the body.
Value VoteLowering::lane_number() {
  if (lane_ != ir::no_value) return lane_;
  const ir::RegionId outer = std::exchange(open_, 0);
  const size_t before = out_.regions[0].body.size();
  Value rank = ir::no_value;
  for (int axis = out_.first_block_axis(); axis < out_.ndim; ++axis) {
    const auto imm = static_cast<uint32_t>(axis);
    const Value index = append({.op = Opcode::index, .type = DType::int64, .imm = imm}, {});
    if (rank != ir::no_value) {
      const Value extent = append({.op = Opcode::extent, .type = DType::int64, .imm = imm}, {});
      rank = write(Opcode::add, DType::int64, {write(Opcode::mul, DType::int64, {rank, extent}), index});
    } else {
      rank = index;
    }
  }
  lane_ = write(Opcode::cast, u32, {write(Opcode::bit_and, DType::int64, {rank, integer(DType::int64, 31)})});
  std::vector<Value>& body = out_.regions[0].body;
  std::rotate(body.begin(), body.begin() + static_cast<ptrdiff_t>(before), body.end());
  open_ = outer;
  return lane_;
}

/// The lanes of the warp that run, as bits.
Value VoteLowering::running(Value mask) {
  const auto [known, is_new] = running_.try_emplace({mask, open_}, ir::no_value);
  if (is_new) known->second = ballot(mask == ir::no_value ? truth() : mask);
  return known->second;
}

Value VoteLowering::source_lane(const ir::Instruction& i, Value which) {
  const int64_t width = i.imm;
  const Value lane = lane_number(), last_of_width = integer(u32, width - 1);
  const Value by = write(Opcode::bit_and, u32, {write(Opcode::cast, u32, {which}), integer(u32, 31)});
  const Value first = write(Opcode::bit_and, u32, {lane, integer(u32, ~(width - 1) & 0xffffffff)});
  const Value last = write(Opcode::bit_or, u32, {lane, last_of_width});
  const auto kept_inside = [&](Opcode test, Value from, Value limit) {
    return write(Opcode::select, u32, {write(test, DType::boolean, {from, limit}), from, lane});
  };
  switch (static_cast<ShuffleKind>(i.attr)) {
    case ShuffleKind::index:
      return write(Opcode::bit_or, u32, {first, write(Opcode::bit_and, u32, {by, last_of_width})});
    case ShuffleKind::up: {
      const Value steps = write(Opcode::sub, u32, {lane, first});
      const Value from = write(Opcode::sub, u32, {lane, by});
      return write(Opcode::select, u32, {write(Opcode::le, DType::boolean, {by, steps}), from, lane});
    }
    case ShuffleKind::down: return kept_inside(Opcode::le, write(Opcode::add, u32, {lane, by}), last);
    case ShuffleKind::exchange: return kept_inside(Opcode::le, write(Opcode::bit_xor, u32, {lane, by}), last);
  }
  return lane;
}

Value VoteLowering::shuffle_from(Value value, Value lane) {
  const Value all = integer(u32, 0xffffffff), which = write(Opcode::cast, DType::int32, {lane});
  return append(
      {.op = Opcode::shuffle, .type = type_of(value), .attr = static_cast<uint8_t>(ShuffleKind::index), .imm = 32},
      {value, which, all});
}

Value VoteLowering::lower_shuffle(const ir::Instruction& i, Value value, Value which, Value mask) {
  const Value from = source_lane(i, which), taken = shuffle_from(value, from);
  if (mask == ir::no_value) return taken;
  const Value bit = write(Opcode::shift_right, u32, {running(mask), from});
  const Value runs =
      write(Opcode::ne, DType::boolean, {write(Opcode::bit_and, u32, {bit, integer(u32, 1)}), integer(u32, 0)});
  return write(Opcode::select, i.type, {runs, taken, value});
}

/// The running lanes whose value has the same bits, one lane of the warp after the other.
Value VoteLowering::lower_match(Value value, Value mask) {
  const DType type = itemsize(type_of(value)) == 4 ? u32 : DType::uint64;
  if (type_of(value) != type) value = write(Opcode::bitcast, type, {value});
  const Value runs = running(mask);
  const Value zero = integer(DType::int64, 0), end = integer(DType::int64, 32), one = integer(DType::int64, 1);
  const Value none = integer(u32, 0);
  const ir::RegionId body = add_regions(1), outer = std::exchange(open_, body);
  const DType types[] = {DType::int64, u32};
  const Values arguments = add_arguments(body, types);
  const Value lane = write(Opcode::cast, u32, {arguments[0]});
  const Value same = write(Opcode::eq, DType::boolean, {shuffle_from(value, lane), value});
  const Value bit = write(Opcode::shift_left, u32, {write(Opcode::cast, u32, {same}), lane});
  yield(std::array{write(Opcode::bit_or, u32, {arguments[1], bit})});
  open_ = outer;
  const Value found =
      append({.op = Opcode::for_, .type = u32, .region_count = 1, .first_region = body}, {zero, end, one, none});
  return write(Opcode::bit_and, u32, {found, runs});
}

}  // namespace tessera::lanes
