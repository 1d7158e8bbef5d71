// Running folds in chunks: a chunk's elements are folded in order by one thread, 32 chunks a warp. Squares of elements
// pass through shared memory, so that memory is read along the chunks.
#include "tessera/engine/device/routines/kernels.h"
#include "tessera/library/host/scan.h"

namespace tessera::engine {

using ir::Value;

namespace {

constexpr int side = 32;
constexpr int pitch = side + 1;

Scalar start_of(ir::Opcode op, DType dtype) {
  const bool is_float = is_floating(dtype);
  return op == ir::Opcode::mul ? Scalar::of_float(DType::float64, 1).cast_to(dtype)
                               : Scalar::of_float(DType::float64, is_float ? -0.0 : 0.0).cast_to(dtype);
}

}  // namespace

// buffers: x, then totals or (before, out); scalars: length of a lane, of a chunk, chunks a lane, chunks in all, the first
ir::Kernel scan_rows_kernel(ir::Opcode op, DType from, DType dtype, bool totals) {
  Dense d(2, totals ? "scan_totals" : "scan");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(from);
  const uint32_t before = totals ? 0 : d.read(dtype), out = d.write(dtype);
  const Value n = d.number(), chunk = d.number(), chunks = d.number(), all = d.number(), first_chunk = d.number();
  const uint32_t tile = b.add_array({dtype, side * pitch, true}), starts = b.add_array({DType::int64, side, true}),
                 sizes = b.add_array({DType::int64, side, true});
  const Value zero = d.word(0), one = d.word(1), t = b.index(1);
  const Value own = b.add(b.add(first_chunk, b.mul(b.index(0), d.word(side))), t);
  const Value exists = b.lt(own, all);
  const Value lane = d.over(own, chunks), k = b.sub(own, b.mul(lane, chunks));
  const Value start = b.select(exists, b.add(b.mul(lane, n), b.mul(k, chunk)), zero);
  const Value size = b.select(exists, b.min(chunk, b.sub(n, b.mul(k, chunk))), zero);
  b.store_array(starts, start, t);
  b.store_array(sizes, size, t);
  const Value follows = b.bit_and(exists, b.gt(k, zero));
  const Value previous = totals ? ir::no_value : d.load(before, b.select(follows, b.sub(own, one), zero));
  b.barrier();
  const Value first = b.constant(start_of(op, dtype));
  // The elements of a square, a column a thread.
  const auto fetch = [&](Value column, std::vector<Value> state) {
    for (int row = 0; row < side; ++row) {
      const Value last = b.max(b.sub(b.load_array(sizes, d.word(row)), one), zero);
      state.push_back(b.cast(d.load(x, b.add(b.load_array(starts, d.word(row)), b.min(column, last))), dtype));
    }
    return state;
  };
  const auto walk = [&](std::span<const Value> carried) -> std::vector<Value> {
    const Value base = carried[0];
    const Value column = b.add(base, t);
    for (int row = 0; row < side; ++row)
      b.store_array(tile, carried[static_cast<size_t>(2 + row)], b.add(d.word(row * pitch), t));
    b.barrier();
    // The next square is on its way while this one is folded.
    std::vector<Value> next = fetch(b.add(column, d.word(side)), {});
    Value sum = carried[1];
    const Value mine = b.mul(t, d.word(pitch)), count = b.sub(size, base);
    std::vector<Value> own_row;
    for (int c = 0; c < side; ++c) own_row.push_back(b.load_array(tile, b.add(mine, d.word(c))));
    for (int c = 0; c < side; ++c) {
      sum = b.select(b.lt(d.word(c), count), b.binary(op, sum, own_row[static_cast<size_t>(c)]), sum);
      if (!totals) b.store_array(tile, b.select(follows, b.binary(op, previous, sum), sum), b.add(mine, d.word(c)));
    }
    b.barrier();
    if (!totals) {
      for (int row = 0; row < side; ++row) {
        const Value at = b.add(b.load_array(starts, d.word(row)), column);
        d.when(b.lt(column, b.load_array(sizes, d.word(row))),
               [&] { d.store(out, b.load_array(tile, b.add(d.word(row * pitch), t)), at); });
      }
      b.barrier();
    }
    next.insert(next.begin(), sum);
    return next;
  };
  const std::vector<Value> initial = fetch(t, {first});
  const Value sum = b.for_(zero, chunk, d.word(side), initial, walk)[0];
  if (totals) d.when(exists, [&] { d.store(out, sum, own); });
  return b.take();
}

// The same for whole chunks of scan_chunk, one behind the other, 32 a block: nothing to look up and no bounds. scalar: chunks
// a lane
ir::Kernel scan_whole_kernel(ir::Opcode op, DType from, DType dtype, bool totals) {
  constexpr int chunk = library::scan_chunk;
  Dense d(2, totals ? "scan_whole_totals" : "scan_whole");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(from), before = totals ? 0 : d.read(dtype), out = d.write(dtype);
  const Value chunks = d.number();
  const uint32_t tile = b.add_array({dtype, side * pitch, true});
  const Value t = b.index(1), own = b.add(b.mul(b.index(0), d.word(side)), t);
  const Value origin = b.add(b.mul(b.index(0), d.word(side * chunk)), t), mine = b.mul(t, d.word(pitch));
  const Value first = b.constant(start_of(op, dtype));
  Value previous = first;
  if (!totals) {
    const Value follows = b.ne(d.rest(own, chunks), d.word(0));
    previous = b.select(follows, d.load(before, b.select(follows, b.sub(own, d.word(1)), d.word(0))), first);
  }
  const auto fetch = [&](Value column, std::vector<Value> state) {
    const Value place = b.add(origin, column);
    for (int row = 0; row < side; ++row) state.push_back(b.cast(d.load(x, b.add(place, d.word(row * chunk))), dtype));
    return state;
  };
  const auto walk = [&](std::span<const Value> carried) -> std::vector<Value> {
    const Value column = carried[0];
    for (int row = 0; row < side; ++row) b.store_array(tile, carried[static_cast<size_t>(2 + row)], b.add(t, d.word(row * pitch)));
    b.barrier();
    // The next square is on its way while this one is folded.
    std::vector<Value> next = fetch(b.min(b.add(column, d.word(side)), d.word(chunk - side)), {});
    std::vector<Value> own_row;
    for (int c = 0; c < side; ++c) own_row.push_back(b.load_array(tile, b.add(mine, d.word(c))));
    Value sum = carried[1];
    for (int c = 0; c < side; ++c) {
      sum = b.binary(op, sum, own_row[static_cast<size_t>(c)]);
      if (!totals) b.store_array(tile, b.binary(op, previous, sum), b.add(mine, d.word(c)));
    }
    b.barrier();
    if (!totals) {
      const Value place = b.add(origin, column);
      for (int row = 0; row < side; ++row) d.store(out, b.load_array(tile, b.add(t, d.word(row * pitch))), b.add(place, d.word(row * chunk)));
      b.barrier();
    }
    next.insert(next.begin(), sum);
    return next;
  };
  const Value sum = b.for_(d.word(0), d.word(chunk), d.word(side), fetch(d.word(0), {first}), walk)[0];
  if (totals) d.store(out, sum, own);
  return b.take();
}

// The same down columns, each thread a column of a chunk. scalars: rows, of a chunk, chunks a lane, columns
ir::Kernel scan_columns_kernel(ir::Opcode op, DType from, DType dtype, bool totals) {
  constexpr int at_once = 8;
  Dense d(2, totals ? "scan_column_totals" : "scan_columns");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(from);
  const uint32_t before = totals ? 0 : d.read(dtype), out = d.write(dtype);
  const Value n = d.number(), chunk = d.number(), chunks = d.number(), columns = d.number();
  const Value zero = d.word(0), one = d.word(1), own = b.index(0), column = b.index(1);
  const Value outer = d.over(own, chunks), k = b.sub(own, b.mul(outer, chunks));
  const Value start = b.mul(k, chunk), rows = b.min(chunk, b.sub(n, start));
  const Value origin = b.add(b.mul(b.add(b.mul(outer, n), start), columns), column);
  const Value follows = b.gt(k, zero);
  const Value above = b.add(b.mul(b.select(follows, b.sub(own, one), zero), columns), column);
  const Value previous = totals ? ir::no_value : d.load(before, above);
  const Value initial[] = {b.constant(start_of(op, dtype))};
  const Value sum = b.for_(zero, rows, d.word(at_once), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
    std::vector<Value> elements, places;
    for (int r = 0; r < at_once; ++r) {
      const Value row = b.min(b.add(carried[0], d.word(r)), b.sub(rows, one));
      places.push_back(b.add(origin, b.mul(row, columns)));
      elements.push_back(b.cast(d.load(x, places.back()), dtype));
    }
    Value total = carried[1];
    for (int r = 0; r < at_once; ++r) {
      const auto slot = static_cast<size_t>(r);
      const Value inside = b.lt(b.add(carried[0], d.word(r)), rows);
      total = b.select(inside, b.binary(op, total, elements[slot]), total);
      if (totals) continue;
      const Value result = b.select(follows, b.binary(op, previous, total), total);
      d.when(inside, [&] { d.store(out, result, places[slot]); });
    }
    return {total};
  })[0];
  if (totals) d.store(out, sum, b.add(b.mul(own, columns), column));
  return b.take();
}

}  // namespace tessera::engine
