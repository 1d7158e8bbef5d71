// Counts of integers, and their minimum and maximum. Counts need no order: blocks count in shared memory where the bins
// fit, and add to the result by atomics.
#include "tessera/routines/bins/kernels.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::AtomicKind;
using ir::Value;

namespace {

uint32_t totals(Dense& d) {
  return d.b.add_buffer({.dtype = DType::int64, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
}

/// Runs body(place) for each of the n elements' indices in the block's chunk.
void each_of_chunk(Dense& d, Value n, Value chunk, const std::function<void(Value)>& body) {
  ir::Builder& b = d.b;
  const Value lower = b.mul(b.index(0), chunk);
  b.for_(b.add(lower, b.index(1)), b.min(b.add(lower, chunk), n), d.word(bins_threads), {},
         [&](std::span<const Value> at) {
           body(at[0]);
           return std::vector<Value>{};
         });
}

}  // namespace

// Minimum and maximum of x and of out's previous values, in out[0] and out[1]. buffers: x, out; scalars: elements,
// elements per block
ir::Kernel bounds_kernel(DType dtype) {
  Dense d(2, "bounds");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype), out = totals(d);
  const auto element_at = [&](Value at) { return b.cast(d.load(x, at), DType::int64); };
  const Value n = d.number(), chunk = d.number(), t = b.index(1), zero = d.word(0), one = d.word(1);
  const uint32_t own = b.add_array({DType::int64, 2, true});
  const Value lower = b.mul(b.index(0), chunk), first = element_at(lower);
  d.when(b.eq(t, zero), [&] {
    b.store_array(own, first, zero);
    b.store_array(own, first, one);
  });
  const Value start[] = {first, first};
  const auto reduction = [&](std::span<const Value> at) {
    const Value element = element_at(at[0]);
    return std::vector<Value>{b.min(at[1], element), b.max(at[2], element)};
  };
  const std::vector<Value> found =
      b.for_(b.add(lower, t), b.min(b.add(lower, chunk), n), d.word(bins_threads), start, reduction);
  b.barrier();
  b.atomic_array(AtomicKind::min, own, found[0], zero);
  b.atomic_array(AtomicKind::max, own, found[1], one);
  b.barrier();
  d.when(b.eq(t, zero), [&] {
    b.atomic(AtomicKind::min, out, b.load_array(own, zero), std::span(&zero, 1));
    b.atomic(AtomicKind::max, out, b.load_array(own, one), std::span(&one, 1));
  });
  return b.take();
}

// out[x[k]] += 1. buffers: x, out; scalars: elements, elements per block, bins
ir::Kernel count_bins_kernel(bool shared) {
  Dense d(2, "count_bins");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(DType::int64), out = totals(d);
  const Value n = d.number(), chunk = d.number(), bins = d.number(), one = d.word(1);
  if (!shared) {
    each_of_chunk(d, n, chunk, [&](Value at) {
      const Value bin = d.load(x, at);
      b.atomic(AtomicKind::add, out, one, std::span(&bin, 1));
    });
    return b.take();
  }
  const uint32_t own = b.add_array({DType::uint32, shared_bins, true});
  const Value t = b.index(1), zero = b.constant(DType::uint32, 0);
  const auto each_bin = [&](const std::function<void(Value)>& body) {
    b.for_(t, bins, d.word(bins_threads), {}, [&](std::span<const Value> at) {
      body(at[0]);
      return std::vector<Value>{};
    });
  };
  each_bin([&](Value bin) { b.store_array(own, zero, bin); });
  b.barrier();
  each_of_chunk(d, n, chunk,
                [&](Value at) { b.atomic_array(AtomicKind::add, own, b.constant(DType::uint32, 1), d.load(x, at)); });
  b.barrier();
  each_bin([&](Value bin) {
    const Value count = b.load_array(own, bin);
    d.when(b.ne(count, zero), [&] { b.atomic(AtomicKind::add, out, b.cast(count, DType::int64), std::span(&bin, 1)); });
  });
  return b.take();
}

}  // namespace tessera::routines
