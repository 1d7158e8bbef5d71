#include "tessera/routines/neighbours/reduce.h"

#include "tessera/routines/networks/row_pieces.h"
#include "tessera/routines/scan/scan.h"
#include "tessera/routines/search/kernels.h"

namespace tessera::routines {

using ir::Value;
using namespace steps;

namespace {

/// What nothing is added to, or what is not below anything.
Value neutral(const StepParts& s, NeighbourOp op, DType dtype) {
  if (op == NeighbourOp::sum) return s.b.constant(dtype, 0);
  return dtype == whole ? s.word(INT64_MAX) : s.real(std::numeric_limits<double>::infinity());
}

Value joined(const StepParts& s, NeighbourOp op, Value x, Value y) {
  return op == NeighbourOp::sum ? s.b.add(x, y) : s.b.min(x, y);
}

/// The value of a neighbour and the weight of its arc. What is not reached stays so.
Value weighted(const StepParts& s, NeighbourOp op, DType dtype, Value value, Value weight) {
  if (op == NeighbourOp::sum) return s.b.mul(value, weight);
  if (dtype != whole) return s.b.add(value, weight);
  return s.b.select(s.b.eq(value, s.word(INT64_MAX)), value, s.b.add(value, weight));
}

// buffers: rows of pieces, ends of pieces, offsets, targets, values, [weights], out
template <NeighbourOp op, DType dtype, bool has_weights>
void reduce_piece(const StepParts& s) {
  ir::Builder& b = s.b;
  const Value row = s.load(0), zero = s.word(0);
  const Value before = b.select(b.gt(row, zero), s.load(1, b.max(b.sub(row, s.word(1)), zero)), zero);
  const Value piece = s.word(networks::row_piece);
  const Value begin = b.add(s.load(2, row), b.mul(b.sub(s.i, before), piece));
  const Value end = b.min(b.add(begin, piece), s.load(2, b.add(row, s.word(1))));
  const Value start = neutral(s, op, dtype);
  const auto found = b.for_(begin, end, s.word(1), std::span(&start, 1), [&](std::span<const Value> at) {
    Value value = s.load(4, s.load_word(3, at[0]));
    if (has_weights) value = weighted(s, op, dtype, value, s.load(5, at[0]));
    return std::vector<Value>{joined(s, op, at[1], value)};
  });
  s.store(has_weights ? 6 : 5, found[0]);
}

// buffers: ends of pieces, pieces, [start], out
template <NeighbourOp op, DType dtype, bool has_start>
void join_pieces(const StepParts& s) {
  ir::Builder& b = s.b;
  const Value zero = s.word(0);
  const Value begin = b.select(b.gt(s.i, zero), s.load(0, b.max(b.sub(s.i, s.word(1)), zero)), zero);
  const Value start = has_start ? s.load(2) : neutral(s, op, dtype);
  const auto found = b.for_(begin, s.load(0), s.word(1), std::span(&start, 1), [&](std::span<const Value> at) {
    return std::vector<Value>{joined(s, op, at[1], s.load(1, at[0]))};
  });
  s.store(has_start ? 3 : 2, found[0]);
}

template <NeighbourOp op, DType dtype>
void run_pieces(Launcher& launcher, const DeviceRows& rows, int64_t count, const char* of, const char* ends,
                const NeighbourReduction& r, const char* out) {
  const StepBuffer from{of, whole}, until{ends, whole}, offsets{rows.offsets, whole},
      targets{rows.targets, DType::int32}, values{r.values, dtype}, to{out, dtype, StepBuffer::written};
  if (r.weights)
    run_step(launcher, op == NeighbourOp::sum ? "sum weighted neighbours" : "least weighted neighbour", count,
             {from, until, offsets, targets, values, {r.weights, dtype}, to}, {}, reduce_piece<op, dtype, true>);
  else
    run_step(launcher, op == NeighbourOp::sum ? "sum neighbours" : "least neighbour", count,
             {from, until, offsets, targets, values, to}, {}, reduce_piece<op, dtype, false>);
}

template <NeighbourOp op, DType dtype>
void run_rows(Launcher& launcher, int64_t nodes, const char* ends, const char* pieces, const char* start,
              const char* out) {
  const StepBuffer until{ends, whole}, parts{pieces, dtype}, to{out, dtype, StepBuffer::written};
  if (start)
    run_step(launcher, op == NeighbourOp::sum ? "add pieces to start" : "least of pieces and start", nodes,
             {until, parts, {start, dtype}, to}, {}, join_pieces<op, dtype, true>);
  else
    run_step(launcher, op == NeighbourOp::sum ? "add pieces" : "least of pieces", nodes, {until, parts, to}, {},
             join_pieces<op, dtype, false>);
}

}  // namespace

RowPieces::RowPieces(Launcher& launcher, const DeviceRows& rows, int operand) : launcher_(launcher), rows_(rows) {
  if (const Kept* kept = launcher.find_kept(operand, "row pieces")) {
    ends_ = kept->buffers[0], rows_of_ = kept->buffers[1], count_ = kept->numbers[0];
    return;
  }
  const Ref<runtime::Buffer> counts = launcher.allocate(rows.nodes, whole);
  ends_ = launcher.allocate(rows.nodes, whole);
  run_step(launcher, "count row pieces", rows.nodes,
           {{rows.offsets, whole}, {counts->data(), whole, StepBuffer::written}}, {}, [](const StepParts& s) {
             const Value degree = s.b.sub(s.load(0, s.b.add(s.i, s.word(1))), s.load(0));
             s.store(1, s.d.over(s.b.add(degree, s.word(networks::row_piece - 1)), s.word(networks::row_piece)));
           });
  scan_lanes(launcher, {library::ScanOp::add, whole, whole}, {1, rows.nodes, 1}, counts->data(), ends_->data());
  count_ = fetch_one<int64_t>(launcher, ends_->data() + 8 * (rows.nodes - 1));
  rows_of_ = launcher.allocate(count_, whole);
  if (count_ > 0)
    launcher.run({.name = "repeat_places",
                  .make = [] { return repeat_places_kernel(); },
                  .extents = {count_},
                  .buffers = {ends_->data(), rows_of_->data()},
                  .scalars = {rows.nodes}});
  launcher.keep(operand, "row pieces", {.buffers = {ends_, rows_of_}, .numbers = {count_, 0}});
}

void RowPieces::reduce(const NeighbourReduction& r, const char* out) const {
  const Ref<runtime::Buffer> pieces = launcher_.allocate(count_, r.dtype);
  const auto run = [&]<NeighbourOp op, DType dtype>() {
    run_pieces<op, dtype>(launcher_, rows_, count_, rows_of_->data(), ends_->data(), r, pieces->data());
    run_rows<op, dtype>(launcher_, rows_.nodes, ends_->data(), pieces->data(), r.start, out);
  };
  if (r.op == NeighbourOp::sum)
    run.template operator()<NeighbourOp::sum, DType::float64>();
  else if (r.dtype == whole)
    run.template operator()<NeighbourOp::minimum, DType::int64>();
  else
    run.template operator()<NeighbourOp::minimum, DType::float64>();
}

Ref<runtime::Buffer> RowPieces::rows_of_arcs(Launcher& launcher, const DeviceRows& rows) {
  Ref<runtime::Buffer> result = launcher.allocate(rows.arcs, whole);
  if (rows.arcs > 0)
    launcher.run({.name = "repeat_places",
                  .make = [] { return repeat_places_kernel(); },
                  .extents = {rows.arcs},
                  .buffers = {rows.offsets + 8, result->data()},
                  .scalars = {rows.nodes}});
  return result;
}

}  // namespace tessera::routines
