// Where the extreme of a lane is: the first of equal ones, the first NaN before all others. In whatever order places are
// compared, the answer is the same.
#include "tessera/engine/device/routines/kernels.h"

namespace tessera::engine {

using ir::Value;

namespace {

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

/// One thread's way through its candidates, first to last, some at a time: it notes only among which of them the extreme
/// stands, and looks for its place at the end.
struct ThreadWalk {
  Dense& d;
  bool largest;
  int at_once;
  Value lower, upper, distance;             // candidates lower, lower + distance, ... below upper
  Value last_few;                           // from here on `at_once` of them reach the end
  std::function<Value(Value k)> place;      // of a candidate
  std::function<Value(Value place)> value;  // as it is compared

  Best run() {
    ir::Builder& b = d.b;
    const Value last = b.sub(upper, d.word(1)), some = d.word(at_once);
    const auto inside = [&](Value k) { return b.min(k, last); };
    const Value initial[] = {value(place(inside(lower))), lower};
    const Value whole_end = b.sub(upper, b.mul(distance, d.word(at_once - 1)));
    const auto walk = [&](std::span<const Value> carried) {
      return next(carried[0], {carried[1], carried[2]}, [](Value k) { return k; });
    };
    const std::vector<Value> most = b.for_(lower, whole_end, b.mul(distance, some), initial, walk);
    const std::vector<Value> found = next(last_few, {most[0], most[1]}, inside);
    Best best{found[0], ir::no_value};
    for (int k = at_once; k-- > 0;) {
      const Value own = place(inside(b.add(found[1], b.mul(distance, d.word(k))))), x = value(own);
      const Value same = b.bit_or(b.eq(x, best.value), b.bit_and(is_nan(b, x), is_nan(b, best.value)));
      best.place = best.place == ir::no_value ? own : b.select(same, own, best.place);
    }
    return best;
  }

 private:
  std::vector<Value> next(Value first, const Best& best, const std::function<Value(Value)>& inside) {
    ir::Builder& b = d.b;
    std::vector<Value> values;
    for (int k = 0; k < at_once; ++k) values.push_back(value(place(inside(b.add(first, b.mul(distance, d.word(k)))))));
    Value most = values[0];
    for (size_t k = 1; k < values.size(); ++k) most = largest ? b.max(most, values[k]) : b.min(most, values[k]);
    const Value wins = beats(b, largest, most, best.value);
    return {b.select(wins, most, best.value), b.select(wins, first, best.place)};
  }
};

}  // namespace

// buffers: x, places found before (when `joins`), out; scalars: length of a lane, candidates a lane, of a slice, slices
ir::Kernel extreme_rows_kernel(bool largest, DType dtype, bool joins) {
  constexpr int at_once = 16;
  Dense d(2, "extreme");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype), places = joins ? d.read(DType::int64) : 0, out = d.write(DType::int64);
  const Value n = d.number(), candidates = d.number(), slice = d.number(), slices = d.number();
  const DType type = compared(dtype);
  const uint32_t values = b.add_array({type, extreme_threads, true}), found = b.add_array({DType::int64, extreme_threads, true});
  const Value t = b.index(1);
  const Value lane = d.over(b.index(0), slices), s = b.sub(b.index(0), b.mul(lane, slices));
  const Value lower = b.mul(s, slice), upper = b.min(b.add(lower, slice), candidates);
  const Value origin = b.mul(lane, n), first_candidate = b.mul(lane, candidates);
  Best best = ThreadWalk{.d = d, .largest = largest, .at_once = at_once,
                         .lower = b.add(lower, t), .upper = upper, .distance = d.word(extreme_threads),
                         .last_few = b.add(b.max(lower, b.sub(upper, d.word(int64_t{at_once} * extreme_threads))), t),
                         .place = [&](Value k) { return joins ? d.load(places, b.add(first_candidate, k)) : k; },
                         .value = [&](Value place) { return b.cast(d.load(x, b.add(origin, place)), type); }}.run();
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
  constexpr int at_once = 8;
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
  const auto at = [&](Value row, Value rows) { return b.add(b.mul(b.add(b.mul(outer, rows), row), columns), column); };
  const Best best = ThreadWalk{.d = d, .largest = largest, .at_once = at_once,
                               .lower = lower, .upper = upper, .distance = one, .last_few = b.max(lower, b.sub(upper, d.word(at_once))),
                               .place = [&](Value k) { return joins ? d.load(places, at(k, slices)) : k; },
                               .value = [&](Value place) { return b.cast(d.load(x, at(place, n)), type); }}.run();
  d.store(out, best.place, b.add(b.mul(own, columns), column));
  return b.take();
}

}  // namespace tessera::engine
