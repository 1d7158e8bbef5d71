// Elements scattered by index, as words of their size. Where an index is repeated the last one wins, whatever the order
// of the threads.
#include "tessera/routines/rows/kernels.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::AtomicKind;
using ir::Opcode;
using ir::Value;

// Row numbers from one index per axis; sets `wrong` if any is out of range. buffers: one index array per axis, out,
// wrong; scalars: one extent per axis, picks per row (with `along` only: the first axis is then the row of the pick)
ir::Kernel row_numbers_kernel(int axes, DType index_type, bool along, library::IndexMode mode) {
  Dense d(1, "row_numbers");
  ir::Builder& b = d.b;
  std::vector<uint32_t> indices;
  for (int k = 0; k < axes; ++k) indices.push_back(d.read(index_type));
  const uint32_t out = d.write(DType::int64);
  const uint32_t wrong =
      b.add_buffer({.dtype = DType::int32, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  const Value at = b.index(0), zero = d.word(0);
  std::vector<Value> extents;
  for (int k = 0; k < axes; ++k) extents.push_back(d.number());
  Value row = along ? d.over(at, d.number()) : zero;
  for (size_t k = 0; k < indices.size(); ++k) {
    const Value given = b.cast(d.load(indices[k], at), DType::int64);
    row = b.add(b.mul(row, extents[k]), index_in_range(d, given, extents[k], mode, wrong));
  }
  d.store(out, row, at);
  return b.take();
}

namespace {

/// One bit per row, in words of 32.
struct RowBit {
  Value word, bit;
  RowBit(Dense& d, Value row)
      : word(d.b.binary(Opcode::shift_right, row, d.word(5))),
        bit(d.b.binary(Opcode::shift_left, one(d), d.b.cast(d.b.bit_and(row, d.word(31)), DType::uint32))) {}
  Value is_in(Dense& d, Value bits) const { return d.b.ne(d.b.bit_and(bits, bit), d.b.zero_like(bit)); }

 private:
  static Value one(Dense& d) { return d.b.constant(Scalar::of_uint(DType::uint32, 1)); }
};

uint32_t shared_words(Dense& d) {
  return d.b.add_buffer({.dtype = DType::uint32, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
}

}  // namespace

// buffers: rows, bits (zeros), bits (zeros), last. Sets the second bits of rows that are named more than once, and
// their words of last to 0.
ir::Kernel mark_rows_kernel() {
  Dense d(1, "mark_rows");
  ir::Builder& b = d.b;
  const uint32_t rows = d.read(DType::int64), seen = shared_words(d), again = shared_words(d),
                 last = d.write(DType::uint32);
  const Value row = d.load(rows, b.index(0));
  const RowBit at(d, row);
  const Value before = b.atomic(AtomicKind::bit_or, seen, at.bit, std::span(&at.word, 1));
  d.when(at.is_in(d, before), [&] {
    b.atomic(AtomicKind::bit_or, again, at.bit, std::span(&at.word, 1));
    d.store(last, b.zero_like(at.bit), row);
  });
  return b.take();
}

// buffers: rows, bits of rows named more than once, last. Sets last[row] of these to one more than the last index that
// names the row.
ir::Kernel last_places_kernel() {
  Dense d(1, "last_places");
  ir::Builder& b = d.b;
  const uint32_t rows = d.read(DType::int64), again = d.read(DType::uint32), last = shared_words(d);
  const Value row = d.load(rows, b.index(0));
  const RowBit at(d, row);
  d.when(at.is_in(d, d.load(again, at.word)), [&] {
    b.atomic(AtomicKind::max, last, b.cast(b.add(b.index(0), d.word(1)), DType::uint32), std::span(&row, 1));
  });
  return b.take();
}

namespace {

/// The offset of an element by its C-order number over axes whose extents and strides are the next scalars.
Value place_of(Dense& d, Value number, int axes) {
  ir::Builder& b = d.b;
  std::vector<Value> extents, strides;
  for (int k = 0; k < axes; ++k) extents.push_back(d.number()), strides.push_back(d.number());
  Value place = d.word(0);
  for (size_t k = extents.size(); k-- > 1;) {
    const Value rest = d.over(number, extents[k]);
    place = b.add(place, b.mul(b.sub(number, b.mul(rest, extents[k])), strides[k]));
    number = rest;
  }
  return b.add(place, b.mul(number, strides[0]));
}

/// The offset of this lane's word in (before, rows, behind).
Value walked_place(Dense& d, Value row, const RowAxes& axes) {
  const Value before = place_of(d, d.b.index(0), axes.before), at = place_of(d, row, axes.rows);
  return d.b.add(d.b.add(before, at), place_of(d, d.b.index(2), axes.behind));
}

}  // namespace

// out[o, p, i] = word i of row rows[p] at index o of the axes before. buffers: rows, x, out; scalars: extent and stride
// of each of the axes
ir::Kernel pick_rows_kernel(DType word, RowAxes axes) {
  Dense d(3, "pick_rows");
  ir::Builder& b = d.b;
  const uint32_t rows = d.read(DType::int64), x = d.read(word), out = d.write(word);
  const Value from = walked_place(d, d.load(rows, b.index(1)), axes);
  d.store(out, d.load(x, from),
          b.add(b.mul(b.add(b.mul(b.index(0), b.extent(1)), b.index(1)), b.extent(2)), b.index(2)));
  return b.take();
}

// The reverse: writes values[o * pitch + p % period * step + i * along] to that word. buffers: rows, values, [bits of
// rows named more than once, last], to; scalars: extent and stride of each of the axes, pitch, period, step, along
ir::Kernel put_rows_kernel(DType word, RowAxes axes, bool repeats) {
  Dense d(3, "put_rows");
  ir::Builder& b = d.b;
  const uint32_t rows = d.read(DType::int64), values = d.read(word);
  const uint32_t again = repeats ? d.read(DType::uint32) : 0, last = repeats ? d.read(DType::uint32) : 0,
                 to = d.write(word);
  const Value pick = b.index(1), row = d.load(rows, pick), place = walked_place(d, row, axes);
  const Value pitch = d.number(), period = d.number(), step = d.number(), along = d.number();
  const auto write = [&] {
    const Value from =
        b.add(b.mul(b.index(0), pitch), b.add(b.mul(d.rest(pick, period), step), b.mul(b.index(2), along)));
    d.store(to, d.load(values, from), place);
  };
  if (!repeats) {
    write();
    return b.take();
  }
  const RowBit at(d, row);
  const auto is_last = [&](auto) {
    return std::vector<Value>{b.eq(d.load(last, row), b.cast(b.add(pick, d.word(1)), DType::uint32))};
  };
  const auto alone = [&](auto) { return std::vector<Value>{b.constant(Scalar::of_bool(true))}; };
  d.when(b.if_(at.is_in(d, d.load(again, at.word)), is_last, alone)[0], write);
  return b.take();
}

}  // namespace tessera::routines
