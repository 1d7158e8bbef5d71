#include "tessera/routines/stream_draw/look_back.h"

#include "tessera/routines/stream_draw/draw_form.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

Value LookBack::entry_of(Value block, Value exit, Value first) {
  ir::Builder& b = d_.b;
  const Value zero = d_.word(0), t = b.index(1);
  const uint32_t entry = b.add_array({DType::int64, 1, true});
  d_.when(b.eq(t, zero), [&] {
    tell(exits_, b.cast(b.bit_or(exit, d_.word(draw_exit_known)), DType::uint32), block);
    const Value before = b.max(b.sub(block, d_.word(1)), zero);
    const Value unknown[] = {b.constant(Scalar::of_uint(DType::uint32, 0))};
    const auto waits = [&](std::span<const Value> of) { return std::vector<Value>{b.eq(of[0], unknown[0])}; };
    const auto ask = [&](auto) { return std::vector<Value>{look(exits_, before)}; };
    const Value told = b.cast(b.while_(unknown, waits, ask)[0], DType::int64);
    const Value left = b.bit_and(told, d_.word(draw_exit_known - 1));
    b.store_array(entry, b.select(b.eq(block, zero), first, left), zero);
  });
  b.barrier();
  return b.load_array(entry, zero);
}

/// The lanes of a warp look at 32 blocks at a time, back to the nearest one that knows the sum up to its end.
Value LookBack::sum_before(Value block, Value lane) {
  ir::Builder& b = d_.b;
  const auto bits = [&](uint64_t x) { return b.constant(Scalar::of_uint(DType::uint32, x)); };
  const Value zero = d_.word(0), none = bits(0), one = bits(1), lane_bit = b.cast(lane, DType::uint32);
  // Carried: the nearest block that has not been added, this lane's sum, whether more is missing.
  const Value initial[] = {b.sub(block, d_.word(1)), zero, d_.word(1)};
  const auto goes_on = [&](std::span<const Value> of) { return std::vector<Value>{b.ne(of[2], zero)}; };
  const auto step = [&](std::span<const Value> of) -> std::vector<Value> {
    const Value at = b.sub(of[0], lane), word = look(counts_, b.max(at, zero));
    const Value kind = b.select(b.lt(at, zero), d_.word(2),
                                b.bit_and(b.binary(Opcode::shift_right, word, d_.word(draw_count_bits)), d_.word(3)));
    const Value own = b.select(b.lt(at, zero), zero, b.bit_and(word, d_.word((int64_t{1} << draw_count_bits) - 1)));
    const Value all = b.ballot(b.eq(kind, d_.word(2))), unknown = b.ballot(b.eq(kind, zero));
    // Lanes before the first that does not know, and not behind the first that knows all.
    const Value before_unknown = b.sub(b.bit_and(unknown, b.sub(none, unknown)), one);
    const Value used = b.bit_and(before_unknown, b.bit_xor(all, b.sub(all, one)));
    const Value is_used = b.ne(b.bit_and(b.binary(Opcode::shift_right, used, lane_bit), one), none);
    const Value taken = b.cast(b.unary(Opcode::popcount, used), DType::int64);
    const Value more = b.select(b.eq(b.bit_and(all, used), none), d_.word(1), zero);
    return {b.sub(of[0], taken), b.add(of[1], b.select(is_used, own, zero)), more};
  };
  Value sum = b.while_(initial, goes_on, step)[1];
  const Value every = bits(0xffffffff);
  for (int distance = 16; distance > 0; distance /= 2)
    sum = b.add(sum, b.shuffle(ir::ShuffleKind::exchange, sum, b.constant(DType::int32, distance), every));
  return sum;
}

Value LookBack::begin_of(Value block, Value count) {
  ir::Builder& b = d_.b;
  const Value zero = d_.word(0), t = b.index(1);
  const uint32_t begin = b.add_array({DType::int64, 1, true});
  const auto kind = [&](int64_t k) { return d_.word(k << draw_count_bits); };
  d_.when(b.lt(t, d_.word(32)), [&] {
    d_.when(b.eq(t, zero), [&] { tell(counts_, b.bit_or(count, kind(1)), block); });
    const Value before = sum_before(block, t);
    d_.when(b.eq(t, zero), [&] {
      tell(counts_, b.bit_or(b.add(before, count), kind(2)), block);
      b.store_array(begin, before, zero);
    });
  });
  b.barrier();
  return b.load_array(begin, zero);
}

}  // namespace tessera::routines
