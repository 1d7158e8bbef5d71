// Running folds in chunks: a chunk's elements are folded in order by one thread, 32 chunks a warp. Squares of elements
// pass through shared memory, so that memory is read along the chunks.
#include "tessera/engine/device/routines/kernels.h"
#include "tessera/library/host/scan.h"

namespace tessera::engine {

using ir::Value;

namespace {

constexpr int side = 32;
constexpr int pitch = side + 1;

/// One step of a fold whose first element is its own result.
Value fold_on(ir::Builder& b, ir::Opcode op, Value sum, Value element, Value is_first) {
  return b.select(is_first, element, b.binary(op, sum, element));
}

/// The kernel over rows, for a warp. Blocks below `whole` have 32 whole chunks of scan_chunk, one behind the other: nothing to
/// look up and no bounds.
class RowScan {
 public:
  RowScan(ir::Opcode op, DType from, DType dtype, bool totals, int levels, bool brief)
      : d(2, totals ? "scan_totals" : "scan"), b(d.b), op_(op), dtype_(dtype), totals_(totals), brief_(brief), x_(d.read(from)) {
    for (int level = 0; level < levels; ++level) runs_.push_back(d.read(dtype));
    out_ = d.write(dtype);
    n_ = d.number(), chunk_ = d.number(), chunks_ = d.number(), all_ = d.number();
    tile_ = b.add_array({dtype, side * pitch, true});
    starts_ = b.add_array({DType::int64, side, true});
    sizes_ = b.add_array({DType::int64, side, true});
    t_ = b.index(1);
  }

  ir::Kernel take() {
    const Value whole = d.number(), last = b.sub(b.extent(0), d.word(1));
    // The way back begins where the totals ended: that is in the cache still.
    const Value block = totals_ ? b.index(0) : b.sub(last, b.index(0));
    own_ = b.add(b.mul(block, d.word(side)), t_);
    exists_ = b.lt(own_, all_);
    const Value lane = brief_ ? d.short_over(own_, chunks_) : d.over(own_, chunks_);
    k_ = b.sub(own_, b.mul(lane, chunks_));
    lane_ = lane;
    follows_ = b.bit_and(exists_, b.gt(k_, d.word(0)));
    if (!runs_.empty()) previous_ = before(0, chunks_, b.max(b.sub(k_, d.word(1)), d.word(0)));
    if (brief_) fold_briefly();
    else b.if_(b.lt(block, whole), [&](auto) { return fold_whole(block); }, [&](auto) { return fold_rows(); });
    return b.take();
  }

 private:
  /// What the totals of a level come to up to `place` in their lane: their own running fold, and what stands before it.
  Value before(size_t level, Value count, Value place) {
    const Value lane = b.select(exists_, lane_, d.word(0));
    const Value own = d.load(runs_[level], b.add(b.mul(lane, count), b.select(exists_, place, d.word(0))));
    if (level + 1 == runs_.size()) return own;
    const Value group = b.binary(ir::Opcode::shift_right, place, d.word(scan_bits));
    const Value groups = b.binary(ir::Opcode::shift_right, b.add(count, d.word(library::scan_chunk - 1)), d.word(scan_bits));
    const Value left = before(level + 1, groups, b.max(b.sub(group, d.word(1)), d.word(0)));
    return b.select(b.gt(group, d.word(0)), b.binary(op_, left, own), own);
  }

  std::vector<Value> fold_whole(Value block) {
    const Value origin = b.add(b.mul(block, d.word(side * library::scan_chunk)), t_), last = d.word(library::scan_chunk - side);
    const auto place = [&](int row, Value base) { return b.add(b.add(origin, base), d.word(row * library::scan_chunk)); };
    const auto load = [&](int row, Value base) { return d.load(x_, place(row, b.min(base, last))); };
    const auto store = [&](int row, Value base) { d.store(out_, tile_at(row), place(row, base)); };
    store_total(walk(d.word(library::scan_chunk), ir::no_value, load, store));
    return {};
  }

  /// Tells the warp where each thread's chunk begins and ends.
  Value tell_rows() {
    const Value zero = d.word(0);
    const Value size = b.select(exists_, b.min(chunk_, b.sub(n_, b.mul(k_, chunk_))), zero);
    b.store_array(starts_, b.select(exists_, b.add(b.mul(lane_, n_), b.mul(k_, chunk_)), zero), t_);
    b.store_array(sizes_, size, t_);
    b.barrier();
    return size;
  }

  /// The same with each loop written once.
  void fold_briefly() {
    const Value zero = d.word(0), one = d.word(1), count = d.word(side), size = tell_rows();
    const auto each = [&](auto&& body) {
      b.for_(zero, count, one, {}, [&](std::span<const Value> row) {
        body(row[0]);
        return std::vector<Value>{};
      });
    };
    const auto slot = [&](Value row, Value column) { return b.add(b.mul(row, d.word(pitch)), column); };
    const Value initial[] = {b.constant(dtype_, 0)};
    const Value sum = b.for_(zero, chunk_, count, initial, [&](std::span<const Value> carried) -> std::vector<Value> {
      const Value base = carried[0], column = b.add(base, t_);
      each([&](Value row) {
        const Value last = b.max(b.sub(b.load_array(sizes_, row), one), zero);
        b.store_array(tile_, b.cast(d.load(x_, b.add(b.load_array(starts_, row), b.min(column, last))), dtype_), slot(row, t_));
      });
      b.barrier();
      const Value before[] = {carried[1]};
      const Value total = b.for_(zero, count, one, before, [&](std::span<const Value> at) -> std::vector<Value> {
        const Value place = b.add(base, at[0]);
        const Value next = fold_on(b, op_, at[1], b.load_array(tile_, slot(t_, at[0])), b.eq(place, zero));
        const Value now = b.select(b.lt(place, size), next, at[1]);
        if (!totals_) b.store_array(tile_, with_previous(now), slot(t_, at[0]));
        return {now};
      })[0];
      b.barrier();
      if (!totals_) {
        each([&](Value row) {
          d.when(b.lt(column, b.load_array(sizes_, row)), [&] { d.store(out_, b.load_array(tile_, slot(row, t_)), b.add(b.load_array(starts_, row), column)); });
        });
        b.barrier();
      }
      return {total};
    })[0];
    d.when(exists_, [&] { store_total(sum); });
  }

  std::vector<Value> fold_rows() {
    const Value zero = d.word(0), size = tell_rows();
    const auto start = [&](int row) { return b.load_array(starts_, d.word(row)); };
    const auto size_of = [&](int row) { return b.load_array(sizes_, d.word(row)); };
    const auto load = [&](int row, Value base) {
      const Value last = b.max(b.sub(size_of(row), d.word(1)), zero);
      return d.load(x_, b.add(start(row), b.min(b.add(base, t_), last)));
    };
    const auto store = [&](int row, Value base) {
      const Value column = b.add(base, t_), at = b.add(start(row), column);
      d.when(b.lt(column, size_of(row)), [&] { d.store(out_, tile_at(row), at); });
    };
    const Value sum = walk(chunk_, size, load, store);
    d.when(exists_, [&] { store_total(sum); });
    return {};
  }

  /// Squares of 32 columns, one after the other; what each thread's chunk, of so many elements where that is no scan_chunk,
  /// comes to.
  Value walk(Value end, Value size, const auto& load, const auto& store) {
    const bool ahead = itemsize(dtype_) <= 8;  // there is room for a second square in registers
    const auto fetch = [&](Value base, std::vector<Value> state) {
      for (int row = 0; row < side; ++row) state.push_back(b.cast(load(row, base), dtype_));
      return state;
    };
    const auto step = [&](std::span<const Value> carried) -> std::vector<Value> {
      const Value base = carried[0];
      std::vector<Value> square = ahead ? std::vector<Value>(carried.begin() + 2, carried.end()) : fetch(base, {});
      for (int row = 0; row < side; ++row) b.store_array(tile_, square[static_cast<size_t>(row)], b.add(t_, d.word(row * pitch)));
      b.barrier();
      // The next square is on its way while this one is folded.
      std::vector<Value> next{ir::no_value};
      if (ahead) next = fetch(b.add(base, d.word(side)), std::move(next));
      next[0] = fold_square(carried[1], base, size);
      b.barrier();
      if (!totals_) {
        for (int row = 0; row < side; ++row) store(row, base);
        b.barrier();
      }
      return next;
    };
    std::vector<Value> initial{b.constant(dtype_, 0)};
    if (ahead) initial = fetch(d.word(0), std::move(initial));
    return b.for_(d.word(0), end, d.word(side), initial, step)[0];
  }

  /// The thread's row of the square; unless for totals alone, results take the elements' places.
  Value fold_square(Value sum, Value base, Value size) {
    const Value mine = b.mul(t_, d.word(pitch)), is_first = b.eq(base, d.word(0));
    std::vector<Value> row;
    for (int c = 0; c < side; ++c) row.push_back(b.load_array(tile_, b.add(mine, d.word(c))));
    for (int c = 0; c < side; ++c) {
      const Value element = row[static_cast<size_t>(c)];
      const Value next = c == 0 ? fold_on(b, op_, sum, element, is_first) : b.binary(op_, sum, element);
      sum = size == ir::no_value ? next : b.select(b.lt(d.word(c), b.sub(size, base)), next, sum);
      if (totals_) continue;
      b.store_array(tile_, with_previous(sum), b.add(mine, d.word(c)));
    }
    return sum;
  }

  Value with_previous(Value sum) { return runs_.empty() ? sum : b.select(follows_, b.binary(op_, previous_, sum), sum); }
  Value tile_at(int row) { return b.load_array(tile_, b.add(t_, d.word(row * pitch))); }
  void store_total(Value sum) {
    if (totals_) d.store(out_, sum, own_);
  }

  static constexpr int scan_bits = 8;
  static_assert(library::scan_chunk == 1 << scan_bits);

  Dense d;
  ir::Builder& b;
  ir::Opcode op_;
  DType dtype_;
  bool totals_, brief_;
  uint32_t x_, out_ = 0, tile_ = 0, starts_ = 0, sizes_ = 0;
  std::vector<uint32_t> runs_;
  Value n_, chunk_, chunks_, all_, t_, own_, exists_, lane_, k_, follows_, previous_ = ir::no_value;
};

}  // namespace

// buffers: x, then totals or (running folds of the totals, of their groups' totals and so on, out); scalars: length of a lane, of
// a chunk, chunks a lane, chunks in all, whole blocks
ir::Kernel scan_rows_kernel(ir::Opcode op, DType from, DType dtype, bool totals, int levels, bool brief) {
  return RowScan(op, from, dtype, totals, levels, brief).take();
}

// Totals, a group of scan_chunk a warp: one thread folds them. buffers: totals, running folds, totals of the groups; scalars:
// totals a lane, groups a lane
ir::Kernel scan_groups_kernel(ir::Opcode op, DType dtype) {
  constexpr int size = library::scan_chunk;
  Dense d(2, "scan_groups");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype), runs = d.write(dtype), out = d.write(dtype);
  const Value count = d.number(), groups = d.number();
  const uint32_t tile = b.add_array({dtype, size, true});
  const Value t = b.index(1), own = b.index(0), lane = d.short_over(own, groups);
  const Value first = b.mul(b.sub(own, b.mul(lane, groups)), d.word(size)), origin = b.add(b.mul(lane, count), first);
  const Value last = b.sub(b.min(d.word(size), b.sub(count, first)), d.word(1));
  std::vector<Value> loaded;
  for (int k = 0; k < size; k += side) loaded.push_back(d.load(x, b.add(origin, b.min(b.add(t, d.word(k)), last))));
  for (int k = 0; k < size; k += side) b.store_array(tile, loaded[static_cast<size_t>(k / side)], b.add(t, d.word(k)));
  b.barrier();
  d.when(b.eq(t, d.word(0)), [&] {
    const Value initial[] = {b.constant(dtype, 0)};
    b.for_(d.word(0), d.word(size), d.word(side), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
      std::vector<Value> row;
      for (int c = 0; c < side; ++c) row.push_back(b.load_array(tile, b.add(carried[0], d.word(c))));
      Value sum = carried[1];
      for (int c = 0; c < side; ++c) {
        const Value element = row[static_cast<size_t>(c)];
        sum = c == 0 ? fold_on(b, op, sum, element, b.eq(carried[0], d.word(0))) : b.binary(op, sum, element);
        b.store_array(tile, sum, b.add(carried[0], d.word(c)));
      }
      return {sum};
    });
  });
  b.barrier();
  for (int k = 0; k < size; k += side) {
    const Value place = b.add(t, d.word(k));
    d.when(b.le(place, last), [&] { d.store(runs, b.load_array(tile, place), b.add(origin, place)); });
  }
  d.when(b.eq(t, d.word(0)), [&] { d.store(out, b.load_array(tile, last), own); });
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
  const Value initial[] = {b.constant(dtype, 0)};
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
      const Value next = r == 0 ? fold_on(b, op, total, elements[slot], b.eq(carried[0], zero)) : b.binary(op, total, elements[slot]);
      total = b.select(inside, next, total);
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
