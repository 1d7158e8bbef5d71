#include "tessera/routines/moments/kernels.h"

#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

namespace {

using Values = std::vector<Value>;

/// Pairwise sum; the number of values is a power of two.
Value add_all(ir::Builder& b, Values values) {
  for (size_t count = values.size(); count > 1; count /= 2)
    for (size_t k = 0; k < count / 2; ++k) values[k] = b.add(values[2 * k], values[2 * k + 1]);
  return values[0];
}

/// Stores a lane's moments from index `place` on, `all` apart.
void store_moments(Dense& d, uint32_t out, Value place, Value all, const Values& moments) {
  for (const Value number : moments) {
    d.store(out, d.b.cast(number, DType::float64), place);
    place = d.b.add(place, all);
  }
}

}  // namespace

// Each lane takes every width-th element of a chunk; there are eight rows at least. The centre is the median of three
// means of a few elements, from the chunk's beginning, middle and end: whatever single elements are, squares about it
// are not much larger than those about the chunk's mean, so that correcting them to the mean loses little accuracy.
// buffers: x, moments; scalars: elements of an outer row, width, adjacent elements with separate results, rows of a
// chunk (a multiple of moment_rows), chunks, rows that all lanes have, results, and the first chunk that is computed
ir::Kernel moments_kernel(DType from, DType dtype) {
  Dense d(2, "moments");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(from), out = d.write(DType::float64);
  const Value size = d.number(), width = d.number(), inner = d.number(), chunk = d.number(), chunks = d.number();
  const Value whole = d.number(), results = d.number(), first = d.number(), zero = b.constant(dtype, 0),
              lane = b.index(1);
  const auto over = [&](Value p, Value q) {  // division of 32-bit integers is much faster
    return b.cast(d.over(b.cast(p, DType::uint32), b.cast(q, DType::uint32)), DType::int64);
  };
  const Value outer = over(b.index(0), chunks), in_part = b.sub(b.index(0), b.mul(outer, chunks)),
              own_chunk = b.add(in_part, first);
  const Value begin = b.mul(outer, size), rest = b.sub(size, b.mul(whole, width));
  const Value rows = b.select(b.gt(rest, d.word(0)), b.add(whole, d.word(1)), whole);
  const Value lower = b.mul(own_chunk, chunk), upper = b.add(lower, chunk), end = b.min(upper, whole);
  const auto load = [&](Value at) { return b.cast(d.load(x, at), dtype); };
  const auto mean = [&](Value row, int count) {
    const Value place = b.add(begin, b.mul(b.min(row, b.sub(whole, d.word(count))), width));
    Values near;
    for (int k = 0; k < count; ++k) near.push_back(load(b.add(b.add(place, b.mul(d.word(k), width)), lane)));
    return b.mul(add_all(b, near), b.constant(dtype, 1.0 / count));
  };
  const Value middle = b.binary(Opcode::shift_right, b.add(lower, end), d.word(1));
  const Value one = mean(lower, 8), two = mean(middle, 4), three = mean(b.sub(end, d.word(4)), 4);
  const Value centre = b.max(b.min(one, two), b.min(b.max(one, two), three));

  const Value instead = b.select(b.lt(lower, whole), b.mul(lower, width), d.word(0));
  const auto add_rows = [&](Value row, Value sum, Value squares, bool is_part) -> Values {
    Values elements, distances, squared;
    for (int64_t k = 0; k < moment_rows; ++k) {
      const Value place = b.mul(b.add(row, d.word(k)), width);
      // Past the last row the lane's first element of the chunk is loaded instead and then ignored.
      const Value there = b.lt(b.add(place, lane), size);
      const Value element = load(b.add(b.add(begin, is_part ? b.select(there, place, instead) : place), lane));
      elements.push_back(is_part ? b.select(there, element, centre) : element);
    }
    for (const Value element : elements) {
      distances.push_back(b.sub(element, centre));
      squared.push_back(b.mul(distances.back(), distances.back()));
    }
    return {b.add(sum, add_all(b, distances)), b.add(squares, add_all(b, squared))};
  };
  const Value at_once = d.word(moment_rows);
  const Value full = b.sub(end, b.bit_and(b.max(b.sub(end, lower), d.word(0)), d.word(moment_rows - 1)));
  Values sums = b.for_(lower, full, at_once, std::array{zero, zero},
                       [&](std::span<const Value> a) { return add_rows(a[0], a[1], a[2], false); });
  sums = b.for_(b.max(full, lower), b.min(upper, rows), at_once, sums,
                [&](std::span<const Value> a) { return add_rows(a[0], a[1], a[2], true); });
  const Value count = b.max(b.sub(b.min(upper, b.select(b.lt(lane, rest), rows, whole)), lower), d.word(0));
  const Value group = over(lane, inner), groups = over(width, inner),
              result = b.add(b.mul(outer, inner), b.sub(lane, b.mul(group, inner)));
  const Value place = b.add(b.mul(b.add(b.mul(in_part, groups), group), results), result);
  store_moments(d, out, place, b.mul(b.mul(chunks, groups), results), {count, centre, sums[0], sums[1]});
  return b.take();
}

// Each lane combines every width-th of the moments about their common mean, which a first pass over them computes.
// buffers: moments, joined (and, for the last kernel, a word set to 1 where a result is not finite); scalars: moments,
// width
ir::Kernel join_moments_kernel(bool last, DType dtype) {
  Dense d(1, last ? "squares_about_mean" : "join_moments");
  ir::Builder& b = d.b;
  const uint32_t in = d.read(DType::float64), out = d.write(last ? dtype : DType::float64),
                 odd = last ? d.write(DType::int32) : 0;
  const Value all = d.number(), width = d.number(), zero = b.constant(DType::float64, 0), lane = b.index(0);
  const Value stride = b.mul(width, d.word(joined_moments));
  struct Moments {
    Values counts, centres, sums, squares;
  };
  const auto load = [&](Value row, bool squares) {
    Moments m;
    for (int64_t k = 0; k < joined_moments; ++k) {
      const Value there = b.lt(b.add(row, lane), all), at = b.add(b.select(there, row, d.word(0)), lane);
      const auto number = [&](int which) { return d.load(in, b.add(at, b.mul(all, d.word(which)))); };
      m.counts.push_back(b.select(there, number(0), zero));
      m.centres.push_back(number(1));
      m.sums.push_back(b.select(there, number(2), zero));
      if (squares) m.squares.push_back(b.select(there, number(3), zero));
      row = b.add(row, width);
    }
    return m;
  };
  const Value base = d.load(in, b.add(all, lane));
  const Values found = b.for_(d.word(0), all, stride, std::array{zero, zero}, [&](std::span<const Value> a) -> Values {
    const Moments m = load(a[0], false);
    Values distances;
    for (size_t k = 0; k < m.counts.size(); ++k)
      distances.push_back(b.add(b.mul(m.counts[k], b.sub(m.centres[k], base)), m.sums[k]));
    return {b.add(a[1], add_all(b, m.counts)), b.add(a[2], add_all(b, distances))};
  });
  const Value count = found[0], centre = b.add(base, b.div(found[1], count));
  const Values moved = b.for_(d.word(0), all, stride, std::array{zero, zero}, [&](std::span<const Value> a) -> Values {
    const Moments m = load(a[0], true);
    Values sums, squares;
    for (size_t k = 0; k < m.counts.size(); ++k) {
      const Value by = b.sub(m.centres[k], centre), of_all = b.mul(m.counts[k], by);
      sums.push_back(b.add(m.sums[k], of_all));
      squares.push_back(b.add(m.squares[k], b.mul(by, b.add(b.add(m.sums[k], m.sums[k]), of_all))));
    }
    return {b.add(a[1], add_all(b, sums)), b.add(a[2], add_all(b, squares))};
  });
  if (!last) {
    store_moments(d, out, lane, width, {count, centre, moved[0], moved[1]});
    return b.take();
  }
  const Value about_mean = b.sub(moved[1], b.div(b.mul(moved[0], moved[0]), count));
  const Value result = b.cast(b.max(about_mean, zero), dtype);
  d.store(out, result, lane);
  d.when(b.bit_not(b.unary(Opcode::is_finite, result)), [&] { d.store(odd, b.constant(DType::int32, 1), d.word(0)); });
  return b.take();
}

}  // namespace tessera::routines
