// Scans of short rows, one thread per row and 32 rows per warp, and along columns. Squares of the rows' elements pass
// through shared memory, so that memory is read along the rows.
#include "tessera/routines/scan/kernels.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Value;

namespace {

constexpr int side = 32;
constexpr int pitch = side + 1;

/// One step of a scan; the first element is its own result.
Value keep_reducing(ir::Builder& b, ir::Opcode op, Value sum, Value element, Value is_first) {
  return b.select(is_first, element, b.binary(op, sum, element));
}

/// The kernel over rows, for a warp.
class RowScan {
 public:
  RowScan(ir::Opcode op, DType from, DType dtype, bool short_text)
      : d(2, "scan"),
        b(d.b),
        op_(op),
        dtype_(dtype),
        short_text_(short_text),
        x_(d.read(from)),
        out_(d.write(dtype)),
        n_(d.number()),
        rows_(d.number()) {
    tile_ = b.add_array({dtype, side * pitch, true});
    starts_ = b.add_array({DType::int64, side, true});
    t_ = b.index(1);
    first_ = b.mul(b.index(0), d.word(side));
  }

  ir::Kernel take() {
    // Row offsets are kept in shared memory to save registers. Loads past the last row or column are clamped and their
    // results never stored.
    b.store_array(starts_, b.mul(b.min(b.add(first_, t_), b.sub(rows_, d.word(1))), n_), t_);
    b.barrier();
    const auto start = [&](Value row) { return b.load_array(starts_, row); };
    const auto load = [&](Value row, Value base) {
      return b.cast(d.load(x_, b.add(start(row), b.min(b.add(base, t_), b.sub(n_, d.word(1))))), dtype_);
    };
    const auto store = [&](Value row, Value base) {
      const Value column = b.add(base, t_), exists = b.lt(row, b.sub(rows_, first_));
      d.when(b.bit_and(exists, b.lt(column, n_)),
             [&] { d.store(out_, b.load_array(tile_, slot(row, t_)), b.add(start(row), column)); });
    };
    if (short_text_)
      walk_in_short_text(load, store);
    else
      walk(load, store);
    return b.take();
  }

 private:
  Value slot(Value row, Value column) { return b.add(b.mul(row, d.word(pitch)), column); }

  /// Processes squares of 32 columns, one after the other.
  void walk(const auto& load, const auto& store) {
    const bool prefetches = itemsize(dtype_) <= 8;  // a second square fits in registers
    const auto fetch = [&](Value base, std::vector<Value> state) {
      for (int row = 0; row < side; ++row) state.push_back(load(d.word(row), base));
      return state;
    };
    const auto step = [&](std::span<const Value> carried) -> std::vector<Value> {
      const Value base = carried[0];
      std::vector<Value> square = prefetches ? std::vector<Value>(carried.begin() + 2, carried.end()) : fetch(base, {});
      for (int row = 0; row < side; ++row)
        b.store_array(tile_, square[static_cast<size_t>(row)], slot(d.word(row), t_));
      b.barrier();
      // The next square is loaded while this one is reduced.
      std::vector<Value> next{ir::no_value};
      if (prefetches) next = fetch(b.add(base, d.word(side)), std::move(next));
      next[0] = reduce_square(carried[1], base);
      b.barrier();
      for (int row = 0; row < side; ++row) store(d.word(row), base);
      b.barrier();
      return next;
    };
    std::vector<Value> initial{b.constant(dtype_, 0)};
    if (prefetches) initial = fetch(d.word(0), std::move(initial));
    b.for_(d.word(0), n_, d.word(side), initial, step);
  }

  /// Scans the thread's row of the square in place.
  Value reduce_square(Value sum, Value base) {
    std::vector<Value> row;
    for (int c = 0; c < side; ++c) row.push_back(b.load_array(tile_, slot(t_, d.word(c))));
    for (int c = 0; c < side; ++c) {
      const Value element = row[static_cast<size_t>(c)];
      sum = c == 0 ? keep_reducing(b, op_, sum, element, b.eq(base, d.word(0))) : b.binary(op_, sum, element);
      b.store_array(tile_, sum, slot(t_, d.word(c)));
    }
    return sum;
  }

  /// The same with loops instead of unrolled code.
  void walk_in_short_text(const auto& load, const auto& store) {
    const auto each = [&](auto&& body) {
      b.for_(d.word(0), d.word(side), d.word(1), {},
             [&](std::span<const Value> row) { return body(row[0]), std::vector<Value>{}; });
    };
    const Value initial[] = {b.constant(dtype_, 0)};
    b.for_(d.word(0), n_, d.word(side), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
      const Value base = carried[0], before[] = {carried[1]};
      each([&](Value row) { b.store_array(tile_, load(row, base), slot(row, t_)); });
      b.barrier();
      const Value sum =
          b.for_(d.word(0), d.word(side), d.word(1), before, [&](std::span<const Value> at) -> std::vector<Value> {
            const Value next =
                keep_reducing(b, op_, at[1], b.load_array(tile_, slot(t_, at[0])), b.eq(b.add(base, at[0]), d.word(0)));
            b.store_array(tile_, next, slot(t_, at[0]));
            return {next};
          })[0];
      b.barrier();
      each([&](Value row) { store(row, base); });
      b.barrier();
      return {sum};
    });
  }

  Dense d;
  ir::Builder& b;
  ir::Opcode op_;
  DType dtype_;
  bool short_text_;
  uint32_t x_, out_, tile_ = 0, starts_ = 0;
  Value n_, rows_, t_ = 0, first_ = 0;
};

}  // namespace

// buffers: x, out; scalars: length of a row, rows
ir::Kernel scan_rows_kernel(ir::Opcode op, DType from, DType dtype, bool short_text) {
  return RowScan(op, from, dtype, short_text).take();
}

// The same along columns, one thread per column of a chunk. scalars: rows, rows of a chunk, chunks per lane, columns,
// and the first chunk that is computed
ir::Kernel scan_columns_kernel(ir::Opcode op, DType from, DType dtype, bool totals) {
  constexpr int at_once = 8;
  Dense d(2, totals ? "scan_column_totals" : "scan_columns");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(from);
  const uint32_t before = totals ? 0 : d.read(dtype), out = d.write(dtype);
  const Value n = d.number(), chunk = d.number(), chunks = d.number(), columns = d.number();
  const Value zero = d.word(0), one = d.word(1), own = b.add(b.index(0), d.number()), column = b.index(1);
  const Value outer = d.over(own, chunks), k = b.sub(own, b.mul(outer, chunks));
  const Value start = b.mul(k, chunk), rows = b.min(chunk, b.sub(n, start));
  const Value origin = b.add(b.mul(b.add(b.mul(outer, n), start), columns), column);
  const Value follows = b.gt(k, zero);
  // A lane's first chunk has no predecessor, not even memory.
  const auto load_previous = [&](auto) {
    return std::vector{d.load(before, b.add(b.mul(b.sub(own, one), columns), column))};
  };
  const Value previous =
      totals ? ir::no_value : b.if_(follows, load_previous, [&](auto) { return std::vector{b.constant(dtype, 0)}; })[0];
  const Value initial[] = {b.constant(dtype, 0)};
  const Value sum =
      b.for_(zero, rows, d.word(at_once), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
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
          const Value next = r == 0 ? keep_reducing(b, op, total, elements[slot], b.eq(carried[0], zero))
                                    : b.binary(op, total, elements[slot]);
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

}  // namespace tessera::routines
