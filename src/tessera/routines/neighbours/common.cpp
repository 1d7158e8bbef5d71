#include "tessera/routines/neighbours/common.h"

namespace tessera::routines {

using ir::Value;

ir::Value common_count(const StepParts& s, int offsets, int targets, Value u, Value v) {
  ir::Builder& b = s.b;
  const Value one = s.word(1), zero = s.word(0);
  const Value begin_u = s.load(offsets, u), end_u = s.load(offsets, b.add(u, one));
  const Value begin_v = s.load(offsets, v), end_v = s.load(offsets, b.add(v, one));
  const Value swaps = b.gt(b.sub(end_u, begin_u), b.sub(end_v, begin_v));
  const Value begin = b.select(swaps, begin_v, begin_u), end = b.select(swaps, end_v, end_u);
  const Value other = b.select(swaps, begin_u, begin_v), last = b.select(swaps, end_u, end_v);
  // What was found lies behind what is looked for next.
  const Value start[] = {other, zero};
  return b.for_(begin, end, one, start, [&](std::span<const Value> at) {
    const Value wanted = s.load(targets, at[0]);
    const Value range[] = {at[1], b.sub(last, at[1])};
    const auto goes_on = [&](std::span<const Value> r) { return std::vector<Value>{b.gt(r[1], zero), r[0], r[1]}; };
    const auto halve = [&](std::span<const Value> r) -> std::vector<Value> {
      const Value half = b.binary(ir::Opcode::shift_right, r[1], one), middle = b.add(r[0], half);
      const Value is_behind = b.lt(s.load(targets, middle), wanted);
      return {b.select(is_behind, b.add(middle, one), r[0]), b.select(is_behind, b.sub(b.sub(r[1], half), one), half)};
    };
    const Value found = b.while_(range, goes_on, halve)[0];
    const Value is_in = b.lt(found, last), safe = b.max(b.min(found, b.sub(last, one)), zero);
    const Value is_same = b.bit_and(is_in, b.eq(s.load(targets, safe), wanted));
    return std::vector<Value>{found, b.add(at[2], b.select(is_same, one, zero))};
  })[1];
}

}  // namespace tessera::routines
