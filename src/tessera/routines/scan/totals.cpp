// Totals of the chunks of a long row that places scan in parts, and what tells them to the sweep of a later part.
#include <vector>

#include "tessera/library/host/scan.h"
#include "tessera/routines/dense.h"
#include "tessera/routines/scan/kernels.h"
#include "tessera/routines/scan/passed_totals.h"

namespace tessera::routines {

using ir::Value;

namespace {

constexpr int in_chunk = library::scan_chunk;

/// Combines `count` values from the first on, which `load` gives so many of at a time.
template <class Load>
Value combined(Dense& d, ir::Opcode op, DType dtype, int64_t count, int at_once, Load&& load) {
  ir::Builder& b = d.b;
  const Value initial[] = {b.constant(dtype, 0)};
  return b.for_(d.word(0), d.word(count), d.word(at_once), initial,
                [&](std::span<const Value> carried) -> std::vector<Value> {
                  const std::vector<Value> row = load(carried[0]);
                  Value total = carried[1];
                  for (int c = 0; c < at_once; ++c) {
                    const Value joined = b.binary(op, total, row[static_cast<size_t>(c)]);
                    total = c > 0 ? joined : b.select(b.eq(carried[0], d.word(0)), row[0], joined);
                  }
                  return {total};
                })[0];
}

uint32_t add_words(Dense& d, DType dtype) {
  return d.b.add_buffer({.dtype = dtype, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
}

}  // namespace

// buffers: x, totals; scalars: the first chunk. A block takes as many chunks as one of the sweep.
ir::Kernel scan_chunk_totals_kernel(ir::Opcode op, DType from, DType dtype) {
  constexpr int threads = scan_sweep_threads;
  const int chunks = scan_sweep_chunks(dtype), at_once = std::min(32, 128 / static_cast<int>(itemsize(dtype)));
  Dense d(2, "scan_chunk_totals");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(from), totals = d.write(dtype);
  const uint32_t tile = b.add_array({dtype, int64_t{chunks} * (in_chunk + 1), true});
  const Value t = b.index(1), chunk = b.add(d.number(), b.mul(b.index(0), d.word(chunks))),
              origin = b.add(b.mul(chunk, d.word(in_chunk)), t);
  b.for_(d.word(0), d.word(int64_t{chunks} * in_chunk / threads), d.word(at_once), {}, [&](std::span<const Value> k) {
    std::vector<Value> loaded;
    for (int c = 0; c < at_once; ++c)
      loaded.push_back(b.cast(d.load(x, b.add(origin, b.mul(b.add(k[0], d.word(c)), d.word(threads)))), dtype));
    for (int c = 0; c < at_once; ++c) {
      const Value round = b.add(k[0], d.word(c)), of_chunk = b.binary(ir::Opcode::shift_right, round, d.word(1));
      b.store_array(tile, loaded[static_cast<size_t>(c)], b.add(b.add(t, b.mul(round, d.word(threads))), of_chunk));
    }
    return std::vector<Value>{};
  });
  static_assert(in_chunk == 2 * threads, "a chunk is two rounds of the threads");
  b.barrier();
  d.when(b.lt(t, d.word(chunks)), [&] {
    const Value total = combined(d, op, dtype, in_chunk, at_once, [&](Value first) {
      std::vector<Value> row;
      for (int c = 0; c < at_once; ++c)
        row.push_back(b.load_array(tile, b.add(b.mul(t, d.word(in_chunk + 1)), b.add(first, d.word(c)))));
      return row;
    });
    d.store(totals, total, b.add(chunk, t));
  });
  return b.take();
}

// buffers: totals of chunks, words of totals, tickets; scalars: the tiles of these chunks
ir::Kernel scan_told_chunks_kernel(DType dtype) {
  Dense d(1, "scan_told_chunks");
  ir::Builder& b = d.b;
  const uint32_t totals = d.read(dtype), words = add_words(d, DType::uint64), tickets = add_words(d, DType::uint32);
  const Value chunk = b.index(0);
  PassedTotals(d, dtype, words).tell(chunk, d.load(totals, chunk));
  // The tickets of the tiles before are taken.
  const Value tiles = b.cast(d.number(), DType::uint32), at[] = {d.word(0)};
  d.when(b.eq(chunk, d.word(0)), [&] { b.atomic(ir::AtomicKind::add, tickets, tiles, at); });
  return b.take();
}

// buffers: totals of the level below, totals, words of totals; scalars: where those of this level begin
ir::Kernel scan_told_groups_kernel(ir::Opcode op, DType dtype) {
  const int at_once = std::min(32, 128 / static_cast<int>(itemsize(dtype)));
  Dense d(1, "scan_told_groups");
  ir::Builder& b = d.b;
  const uint32_t below = d.read(dtype), own = d.write(dtype);
  PassedTotals told(d, dtype, add_words(d, DType::uint64));
  const Value group = b.index(0), first = b.mul(group, d.word(in_chunk));
  const Value total = combined(d, op, dtype, in_chunk, at_once, [&](Value k) {
    std::vector<Value> row;
    for (int c = 0; c < at_once; ++c) row.push_back(d.load(below, b.add(first, b.add(k, d.word(c)))));
    return row;
  });
  d.store(own, total, group);
  told.tell(b.add(d.number(), group), total);
  return b.take();
}

}  // namespace tessera::routines
