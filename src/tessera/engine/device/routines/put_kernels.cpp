// Elements written by index or by mask, as words of their size. Where an index occurs again the last one wins, whichever
// thread comes first.
#include "tessera/engine/device/routines/kernels.h"

namespace tessera::engine {

using ir::AtomicKind;
using ir::Value;

// Row numbers from one index an axis, of which `wrong` learns whether all are inside. buffers: an index array an axis, out,
// wrong; scalars: an extent an axis, picks a row (`along` alone: the first axis is then the row of the pick's place)
ir::Kernel row_numbers_kernel(int axes, bool along) {
  Dense d(1, "row_numbers");
  ir::Builder& b = d.b;
  std::vector<uint32_t> indices;
  for (int k = 0; k < axes; ++k) indices.push_back(d.read(DType::int64));
  const uint32_t out = d.write(DType::int64);
  const uint32_t wrong = b.add_buffer({.dtype = DType::int32, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  const Value at = b.index(0), zero = d.word(0);
  std::vector<Value> extents;
  for (int k = 0; k < axes; ++k) extents.push_back(d.number());
  Value row = along ? d.over(at, d.number()) : zero;
  for (size_t k = 0; k < indices.size(); ++k) {
    const Value given = d.load(indices[k], at);
    const Value index = b.select(b.lt(given, zero), b.add(given, extents[k]), given);
    d.when(b.bit_or(b.lt(index, zero), b.ge(index, extents[k])),
           [&] { b.atomic(AtomicKind::bit_or, wrong, b.constant(DType::int32, 1), std::span(&zero, 1)); });
    row = b.add(b.mul(row, extents[k]), index);
  }
  d.store(out, row, at);
  return b.take();
}

// buffers: rows, last (zeros); last[row] becomes one more than the last place that names the row
ir::Kernel last_places_kernel() {
  Dense d(1, "last_places");
  ir::Builder& b = d.b;
  const uint32_t rows = d.read(DType::int64);
  const uint32_t last = b.add_buffer({.dtype = DType::uint32, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  const Value row = d.load(rows, b.index(0));
  b.atomic(AtomicKind::max, last, b.cast(b.add(b.index(0), d.word(1)), DType::uint32), std::span(&row, 1));
  return b.take();
}

// to[rows[p], i] = values[p % period, i]. buffers: rows, values, [last], to; scalars: words a row, period
ir::Kernel put_rows_kernel(DType word, bool repeats) {
  Dense d(2, "put_rows");
  ir::Builder& b = d.b;
  const uint32_t rows = d.read(DType::int64), values = d.read(word), last = repeats ? d.read(DType::uint32) : 0, to = d.write(word);
  const Value inner = d.number(), period = d.number(), place = b.index(0), i = b.index(1);
  const Value row = d.load(rows, place);
  const auto write = [&] { d.store(to, d.load(values, b.add(b.mul(d.rest(place, period), inner), i)), b.add(b.mul(row, inner), i)); };
  if (repeats) d.when(b.eq(d.load(last, row), b.cast(b.add(place, d.word(1)), DType::uint32)), write);
  else write();
  return b.take();
}

// to[k, i] = values[place[k] - 1, i] where mask[k]. buffers: mask, places, values, to; scalar: words a row
ir::Kernel expand_kernel(DType word) {
  Dense d(2, "expand");
  ir::Builder& b = d.b;
  const uint32_t mask = d.read(DType::boolean), places = d.read(DType::int64), values = d.read(word), to = d.write(word);
  const Value inner = d.number(), row = b.index(0), i = b.index(1);
  d.when(d.load(mask, row), [&] {
    const Value from = b.sub(d.load(places, row), d.word(1));
    d.store(to, d.load(values, b.add(b.mul(from, inner), i)), b.add(b.mul(row, inner), i));
  });
  return b.take();
}

}  // namespace tessera::engine
