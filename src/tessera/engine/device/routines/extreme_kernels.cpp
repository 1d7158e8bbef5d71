// Where the extreme of a lane is: the first of equal ones, the first NaN before all others. In whatever order places are
// compared, the answer is the same.
#include "tessera/engine/device/routines/kernels.h"

#include <bit>

namespace tessera::engine {

using ir::Value;

namespace {

/// Elements whose loads are in flight together.
int elements_at_once(DType dtype) { return itemsize(dtype) <= 4 ? 16 : 8; }

struct Best {
  Value value;
  Value place;
};

/// Whether x goes before y whatever their places: y is no NaN, and x is one or beyond it.
Value beats(ir::Builder& b, bool largest, Value x, Value y) {
  if (!is_floating(b.type(x))) return largest ? b.gt(x, y) : b.lt(x, y);
  return b.bit_and(b.bit_not(largest ? b.le(x, y) : b.ge(x, y)), b.eq(y, y));
}

/// The best so far or one of later candidates.
Best best_of(ir::Builder& b, bool largest, Best best, const std::vector<Best>& later) {
  for (const Best& other : later) {
    const Value wins = beats(b, largest, other.value, best.value);
    best = {b.select(wins, other.value, best.value), b.select(wins, other.place, best.place)};
  }
  return best;
}

Best earlier(ir::Builder& b, bool largest, const Best& x, const Best& y) {
  const Value ties = b.bit_not(b.bit_or(beats(b, largest, x.value, y.value), beats(b, largest, y.value, x.value)));
  const Value wins = b.bit_or(beats(b, largest, x.value, y.value), b.bit_and(ties, b.lt(x.place, y.place)));
  return {b.select(wins, x.value, y.value), b.select(wins, x.place, y.place)};
}

/// Elements are compared in a type whose order is theirs.
DType compared(DType dtype) {
  if (is_boolean(dtype)) return DType::uint8;
  return dtype == DType::float16 || dtype == DType::bfloat16 ? DType::float32 : dtype;
}

}  // namespace

// buffers: x, places found before (when `joins`), out; scalars: length of a lane, candidates a lane, of a slice, slices
ir::Kernel extreme_rows_kernel(bool largest, DType dtype, bool joins, bool brief) {
  Dense d(2, "extreme");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype), places = joins ? d.read(DType::int64) : 0, out = d.write(DType::int64);
  const Value n = d.number(), candidates = d.number(), slice = d.number(), slices = d.number();
  const DType type = compared(dtype), counted = joins ? DType::int64 : DType::int32;
  const int at_once = brief ? 1 : elements_at_once(dtype), span = at_once * extreme_threads;
  const uint32_t values = b.add_array({type, extreme_threads, true}), found = b.add_array({DType::int64, extreme_threads, true});
  const Value t = b.index(1), zero = d.word(0);
  const Value lane = brief ? d.short_over(b.index(0), slices) : d.over(b.index(0), slices), s = b.sub(b.index(0), b.mul(lane, slices));
  const Value lower = b.mul(s, slice), size = b.sub(b.min(b.add(lower, slice), candidates), lower), last = b.sub(size, d.word(1));
  const Value origin = b.add(b.mul(lane, joins ? n : candidates), joins ? zero : lower);
  // Places count from the slice's first candidate on; those found before are the lane's.
  const auto candidate = [&](Value k) -> Best {
    const Value place = joins ? d.load(places, b.add(b.mul(lane, candidates), b.add(lower, k))) : k;
    return {b.cast(d.load(x, b.add(origin, place)), type), b.cast(place, counted)};
  };
  // Whole spans need no bounds; behind the end the last candidate is looked at again.
  const auto walk = [&](Value from, Value to, bool bounded, std::span<const Value> initial) {
    return b.for_(from, to, d.word(span), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
      std::vector<Best> next;
      for (int k = 0; k < at_once; ++k) {
        const Value at = b.add(b.add(carried[0], t), d.word(int64_t{k} * extreme_threads));
        next.push_back(candidate(bounded ? b.min(at, last) : at));
      }
      const Best best = best_of(b, largest, {carried[1], carried[2]}, next);
      return {best.value, best.place};
    });
  };
  const Best start = candidate(b.min(t, last));
  const Value initial[] = {start.value, start.place};
  const Value whole = brief ? zero : b.mul(d.over(size, d.word(span)), d.word(span));
  const std::vector<Value> most = brief ? std::vector<Value>{start.value, start.place} : walk(zero, whole, false, initial), mine = walk(whole, size, true, most);
  Best best{mine[0], b.add(b.cast(mine[1], DType::int64), joins ? zero : lower)};
  const auto join = [&](Best own, Value distance) -> Best {
    b.store_array(values, own.value, t);
    b.store_array(found, own.place, t);
    b.barrier();
    const Value other = b.bit_xor(t, distance);
    own = earlier(b, largest, own, {b.load_array(values, other), b.load_array(found, other)});
    b.barrier();
    return own;
  };
  if (brief) {
    const Value own[] = {best.value, best.place};
    const std::vector<Value> joined = b.for_(zero, d.word(std::countr_zero(unsigned{extreme_threads})), d.word(1), own, [&](std::span<const Value> carried) -> std::vector<Value> {
      const Best next = join({carried[1], carried[2]}, b.binary(ir::Opcode::shift_left, d.word(1), carried[0]));
      return {next.value, next.place};
    });
    best = {joined[0], joined[1]};
  } else {
    for (int distance = extreme_threads / 2; distance > 0; distance /= 2) best = join(best, d.word(distance));
  }
  d.when(b.eq(t, zero), [&] { d.store(out, best.place, b.index(0)); });
  return b.take();
}

// The same down columns; scalars: rows, columns, rows of a slice, slices
ir::Kernel extreme_columns_kernel(bool largest, DType dtype, bool joins, bool brief) {
  Dense d(2, "extreme_columns");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype), places = joins ? d.read(DType::int64) : 0, out = d.write(DType::int64);
  const Value n = d.number(), columns = d.number(), slice = d.number(), slices = d.number();
  const DType type = compared(dtype), counted = joins ? DType::int64 : DType::int32;
  const int at_once = brief ? 1 : elements_at_once(dtype);
  const Value own = b.index(0), column = b.index(1), zero = d.word(0);
  // A join's lanes have their slices as rows.
  const Value outer = joins ? own : brief ? d.short_over(own, slices) : d.over(own, slices);
  const Value lower = joins ? zero : b.mul(b.sub(own, b.mul(outer, slices)), slice);
  const Value size = joins ? slices : b.sub(b.min(b.add(lower, slice), n), lower), last = b.sub(size, d.word(1));
  const Value origin = b.add(b.mul(b.add(b.mul(outer, n), lower), columns), column);
  const auto candidate = [&](Value k) -> Best {
    const Value place = joins ? d.load(places, b.add(b.mul(b.add(b.mul(outer, slices), k), columns), column)) : k;
    return {b.cast(d.load(x, b.add(origin, b.mul(place, columns))), type), b.cast(place, counted)};
  };
  const auto walk = [&](Value from, Value to, bool bounded, std::span<const Value> initial) {
    return b.for_(from, to, d.word(at_once), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
      std::vector<Best> next;
      for (int k = 0; k < at_once; ++k) {
        const Value at = b.add(carried[0], d.word(k));
        next.push_back(candidate(bounded ? b.min(at, last) : at));
      }
      const Best best = best_of(b, largest, {carried[1], carried[2]}, next);
      return {best.value, best.place};
    });
  };
  const Best start = candidate(zero);
  const Value initial[] = {start.value, start.place};
  const Value whole = brief ? zero : b.mul(d.over(size, d.word(at_once)), d.word(at_once));
  const std::vector<Value> most = brief ? std::vector<Value>{start.value, start.place} : walk(zero, whole, false, initial), best = walk(whole, size, true, most);
  d.store(out, b.add(b.cast(best[1], DType::int64), lower), b.add(b.mul(own, columns), column));
  return b.take();
}

}  // namespace tessera::engine
