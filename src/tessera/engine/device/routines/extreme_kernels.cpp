// Where the extreme of a lane is: the first of equal ones, the first NaN before all others. In whatever order places are
// compared, the answer is the same.
#include "tessera/engine/device/routines/kernels.h"

namespace tessera::engine {

using ir::Value;

namespace {

constexpr int at_once = 8;

struct Best {
  Value value;
  Value place;
};

Value is_nan(ir::Builder& b, Value x) {
  return is_floating(b.type(x)) ? b.unary(ir::Opcode::is_nan, x) : b.constant(Scalar::of_bool(false));
}

/// Whether x goes before y whatever their places.
Value beats(ir::Builder& b, bool largest, Value x, Value y) {
  const Value better = largest ? b.gt(x, y) : b.lt(x, y);
  return b.bit_and(b.bit_or(better, is_nan(b, x)), b.bit_not(is_nan(b, y)));
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
ir::Kernel extreme_rows_kernel(bool largest, DType dtype, bool joins) {
  Dense d(2, "extreme");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype), places = joins ? d.read(DType::int64) : 0, out = d.write(DType::int64);
  const Value n = d.number(), candidates = d.number(), slice = d.number(), slices = d.number();
  const DType type = compared(dtype);
  const uint32_t values = b.add_array({type, extreme_threads, true}), found = b.add_array({DType::int64, extreme_threads, true});
  const Value t = b.index(1), one = d.word(1);
  const Value lane = d.over(b.index(0), slices), s = b.sub(b.index(0), b.mul(lane, slices));
  const Value lower = b.mul(s, slice), upper = b.min(b.add(lower, slice), candidates);
  const auto candidate = [&](Value k) -> Best {
    const Value inside = b.min(k, b.sub(upper, one));
    const Value place = joins ? d.load(places, b.add(b.mul(lane, candidates), inside)) : inside;
    return {b.cast(d.load(x, b.add(b.mul(lane, n), place)), type), place};
  };
  const Best start = candidate(b.add(lower, t));
  const Value initial[] = {start.value, start.place};
  const auto walk = [&](std::span<const Value> carried) -> std::vector<Value> {
    std::vector<Best> next;
    for (int k = 0; k < at_once; ++k) next.push_back(candidate(b.add(carried[0], d.word(int64_t{k} * extreme_threads))));
    Best best{carried[1], carried[2]};
    for (const Best& other : next) {
      const Value wins = beats(b, largest, other.value, best.value);
      best = {b.select(wins, other.value, best.value), b.select(wins, other.place, best.place)};
    }
    return {best.value, best.place};
  };
  const std::vector<Value> mine = b.for_(b.add(lower, t), upper, d.word(int64_t{at_once} * extreme_threads), initial, walk);
  Best best{mine[0], mine[1]};
  for (int distance = extreme_threads / 2; distance > 0; distance /= 2) {
    b.store_array(values, best.value, t);
    b.store_array(found, best.place, t);
    b.barrier();
    const Value other = b.bit_xor(t, d.word(distance));
    best = earlier(b, largest, best, {b.load_array(values, other), b.load_array(found, other)});
    b.barrier();
  }
  d.when(b.eq(t, d.word(0)), [&] { d.store(out, best.place, b.index(0)); });
  return b.take();
}

// The same down columns; scalars: rows, columns, rows of a slice, slices
ir::Kernel extreme_columns_kernel(bool largest, DType dtype, bool joins) {
  Dense d(2, "extreme_columns");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype), places = joins ? d.read(DType::int64) : 0, out = d.write(DType::int64);
  const Value n = d.number(), columns = d.number(), slice = d.number(), slices = d.number();
  const DType type = compared(dtype);
  const Value own = b.index(0), column = b.index(1), one = d.word(1);
  // A join's lanes have their slices as rows.
  const Value outer = joins ? own : d.over(own, slices);
  const Value lower = joins ? d.word(0) : b.mul(b.sub(own, b.mul(outer, slices)), slice);
  const Value upper = joins ? slices : b.min(b.add(lower, slice), n);
  const auto candidate = [&](Value k) -> Best {
    const Value inside = b.min(k, b.sub(upper, one));
    const Value place = joins ? d.load(places, b.add(b.mul(b.add(b.mul(outer, slices), inside), columns), column)) : inside;
    return {b.cast(d.load(x, b.add(b.mul(b.add(b.mul(outer, n), place), columns), column)), type), place};
  };
  const Best start = candidate(lower);
  const Value initial[] = {start.value, start.place};
  const std::vector<Value> best = b.for_(lower, upper, d.word(at_once), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
    std::vector<Best> next;
    for (int k = 0; k < at_once; ++k) next.push_back(candidate(b.add(carried[0], d.word(k))));
    Best so_far{carried[1], carried[2]};
    for (const Best& other : next) {
      const Value wins = beats(b, largest, other.value, so_far.value);
      so_far = {b.select(wins, other.value, so_far.value), b.select(wins, other.place, so_far.place)};
    }
    return {so_far.value, so_far.place};
  });
  d.store(out, best[1], b.add(b.mul(own, columns), column));
  return b.take();
}

}  // namespace tessera::engine
