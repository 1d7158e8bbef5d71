// Insertion indices in sorted elements, and the parts into which elements at given indices split a row.
#include "tessera/routines/sort/kernels.h"
#include "tessera/routines/dense.h"
#include "tessera/routines/sort/sort_keys.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

namespace {

Value is_nan(ir::Builder& b, Value x) {
  return b.unary(Opcode::is_nan, b.type(x) == DType::float64 ? x : b.cast(x, DType::float32));
}

/// 1: the imaginary part is NaN, 2: the real one.
Value nan_parts(ir::Builder& b, Value z) {
  const auto when = [&](Value holds, int bit) {
    return b.select(holds, b.constant(DType::uint8, bit), b.constant(DType::uint8, 0));
  };
  return b.bit_or(when(is_nan(b, b.real(z)), 2), when(is_nan(b, b.imag(z)), 1));
}

/// The order complex_before of library/host/sort_keys.h.
Value complex_before(ir::Builder& b, Value x, Value y) {
  const Value of_x = nan_parts(b, x), of_y = nan_parts(b, y);
  const auto lacks = [&](int bit) {
    return b.eq(b.bit_and(of_x, b.constant(DType::uint8, bit)), b.constant(DType::uint8, 0));
  };
  const Value by_real = b.bit_and(lacks(2), b.ne(b.real(x), b.real(y)));
  const Value alike = b.select(by_real, b.lt(b.real(x), b.real(y)), b.bit_and(lacks(1), b.lt(b.imag(x), b.imag(y))));
  return b.select(b.eq(of_x, of_y), alike, b.lt(of_x, of_y));
}

/// The first of n indices for which behind(index) is false.
Value first_not(Dense& d, Value n, const std::function<Value(Value)>& behind) {
  ir::Builder& b = d.b;
  // The result is range[0] or one of the following range[1] indices.
  const Value one = d.word(1), start[] = {d.word(0), n};
  const auto goes_on = [&](std::span<const Value> range) {
    return std::vector<Value>{b.gt(range[1], d.word(0)), range[0], range[1]};
  };
  const auto halve = [&](std::span<const Value> range) -> std::vector<Value> {
    const Value half = b.binary(Opcode::shift_right, range[1], one), middle = b.add(range[0], half),
                is_behind = behind(middle);
    return {b.select(is_behind, b.add(middle, one), range[0]),
            b.select(is_behind, b.sub(b.sub(range[1], half), one), half)};
  };
  return b.while_(start, goes_on, halve)[0];
}

}  // namespace

ir::Kernel search_kernel(DType element, bool right) {
  Dense d(1, "search");
  ir::Builder& b = d.b;
  if (is_complex(element)) {
    const uint32_t sorted = d.read(element), wanted = d.read(element), out = d.write(DType::int64);
    const Value key = d.load(wanted, b.index(0));
    const auto behind = [&](Value at) {
      const Value found = d.load(sorted, at);
      return right ? b.bit_not(complex_before(b, key, found)) : complex_before(b, found, key);
    };
    d.store(out, first_not(d, d.number(), behind), b.index(0));
    return b.take();
  }
  SortKeys keys(b, element);
  const uint32_t sorted = d.read(keys.word()), wanted = d.read(keys.word()), out = d.write(DType::int64);
  const auto key_at = [&](uint32_t buffer, Value at) { return keys.joined(keys.encode(d.load(buffer, at))); };
  const Value key = key_at(wanted, b.index(0));
  const auto behind = [&](Value at) { return right ? b.le(key_at(sorted, at), key) : b.lt(key_at(sorted, at), key); };
  d.store(out, first_not(d, d.number(), behind), b.index(0));
  return b.take();
}

ir::Kernel complex_nans_kernel(DType element) {
  Dense d(1, "complex_nans");
  const uint32_t x = d.read(element), out = d.write(DType::uint8);
  d.store(out, nan_parts(d.b, d.load(x, d.b.index(0))), d.b.index(0));
  return d.b.take();
}

namespace {

/// Whether the sorted row ends with NaN.
Value ends_with_nan(Dense& d, uint32_t sorted, Value row, Value n, DType element) {
  if (!is_floating(element)) return d.b.constant(Scalar::of_bool(false));
  return is_nan(d.b, d.load(sorted, d.b.add(d.b.mul(row, n), d.b.sub(n, d.word(1)))));
}

}  // namespace

ir::Kernel parts_kernel(DType element) {
  Dense d(1, "parts");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(element), sorted = d.read(element), at = d.read(DType::int64), out = d.write(DType::uint8);
  const Value n = d.number(), count = d.number(), own = d.load(x, b.index(0)), row = d.over(b.index(0), n);
  const Value none = b.constant(DType::uint8, 0), one = b.constant(DType::uint8, 1);
  const Value part = b.for_(d.word(0), count, d.word(1), std::span(&none, 1), [&](std::span<const Value> state) {
    const Value pivot = d.load(sorted, b.add(b.mul(row, n), d.load(at, state[0])));
    const Value least = b.add(state[1], b.select(b.le(pivot, own), one, none));
    return std::vector<Value>{b.add(least, b.select(b.lt(pivot, own), one, none))};
  })[0];
  d.store(out, b.select(ends_with_nan(d, sorted, row, n, element), none, part), b.index(0));
  return b.take();
}

ir::Kernel parted_kernel(DType element, bool places) {
  Dense d(1, "parted");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(element), sorted = d.read(element), chosen = d.read(DType::int64);
  const uint32_t order = places ? d.read(DType::int64) : 0, out = d.write(places ? DType::int64 : element);
  const Value n = d.number(), i = b.index(0), row = d.over(i, n), place = d.load(chosen, i);
  const Value is_sorted = ends_with_nan(d, sorted, row, n, element);
  if (places)
    d.store(out, b.select(is_sorted, d.load(order, i), place), i);
  else
    d.store(out, b.select(is_sorted, d.load(sorted, i), d.load(x, b.add(b.mul(row, n), place))), i);
  return b.take();
}

ir::Kernel repeat_places_kernel() {
  Dense d(1, "repeat_places");
  ir::Builder& b = d.b;
  const uint32_t ends = d.read(DType::int64), out = d.write(DType::int64);
  d.store(out, first_not(d, d.number(), [&](Value at) { return b.le(d.load(ends, at), b.index(0)); }), b.index(0));
  return b.take();
}

// Computes library/host/interpolate.cpp for one or two double parts. buffers: x, xp, fp, ends (left, right), out;
// scalar: points
ir::Kernel interpolate_kernel(int parts) {
  Dense d(1, "interpolate");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(DType::float64), xp = d.read(DType::float64), fp = d.read(DType::float64),
                 ends = d.read(DType::float64);
  const uint32_t out = d.write(DType::float64);
  const Value points = d.number(), at = d.load(x, b.index(0)), zero = d.word(0), one = d.word(1),
              last = b.sub(points, one);
  const Value above = first_not(d, points, [&](Value k) { return b.le(d.load(xp, k), at); });
  const Value j = b.max(b.sub(above, one), zero), next = b.min(b.add(j, one), last);
  const Value x0 = d.load(xp, j), x1 = d.load(xp, next), is_low = b.lt(at, d.load(xp, zero)), is_last = b.eq(j, last);
  const Value is_high = b.bit_and(is_last, b.gt(at, x0)), is_there = b.bit_or(is_last, b.eq(x0, at));
  for (int p = 0; p < parts; ++p) {
    const auto place = [&](Value k) { return b.add(b.mul(k, d.word(parts)), d.word(p)); };
    const Value y0 = d.load(fp, place(j)), y1 = d.load(fp, place(next)), slope = b.div(b.sub(y1, y0), b.sub(x1, x0));
    const Value from_left = b.add(b.mul(slope, b.sub(at, x0)), y0), from_right = b.add(b.mul(slope, b.sub(at, x1)), y1);
    const Value flat = b.select(b.bit_and(is_nan(b, from_right), b.eq(y0, y1)), y0, from_right);
    Value y = b.select(is_nan(b, from_left), flat, from_left);
    y = b.select(is_there, y0, y);
    y = b.select(is_high, d.load(ends, d.word(parts + p)), y);
    y = b.select(is_low, d.load(ends, d.word(p)), y);
    y = b.select(is_nan(b, at), p == 0 ? at : b.zero_like(at), y);
    d.store(out, y, place(b.index(0)));
  }
  return b.take();
}

}  // namespace tessera::routines
