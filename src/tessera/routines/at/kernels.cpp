// ufunc.at: elements updated in place at given indices, once per occurrence. One thread applies the values of a place
// in their order, so the result does not depend on scheduling; integers, for which any order gives the same result, are
// updated by atomics.
#include "tessera/routines/at/kernels.h"

#include <vector>

#include "tessera/routines/at/reduction.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Value;

namespace {

uint32_t changed(Dense& d, DType dtype) {
  return d.b.add_buffer({.dtype = dtype, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
}

}  // namespace

// buffers: places (sorted), [values], target, events (int32); scalars: places, stride of values (0: one value for all)
ir::Kernel reduce_places_kernel(const ops::Op& op, const ops::Signature& signature, DType target) {
  constexpr int at_once = 4;  // independent loads
  Dense d(1, "reduce_places");
  ir::Builder& b = d.b;
  const bool binary = op.nin == 2;
  const uint32_t places = d.read(DType::int64), values = binary ? d.read(signature.in[1]) : 0, to = changed(d, target),
                 events = changed(d, DType::int32);
  const Value n = d.number(), step = d.number(), first = b.index(0), last = b.sub(n, d.word(1));
  const Value place = d.load(places, first), before = d.load(places, b.max(b.sub(first, d.word(1)), d.word(0)));
  const AtReduction reduction(d, op, signature, target);
  const auto goes_on = [&](std::span<const Value> state) {
    std::vector<Value> passed{state[0]};
    passed.insert(passed.end(), state.begin(), state.end());
    return passed;
  };
  const auto apply_some = [&](std::span<const Value> state) {
    Value inside = state[0];
    const Value at = state[1];
    std::vector<Value> element, is_own;
    for (int k = 0; k < at_once; ++k) {
      const Value next = b.add(at, d.word(k)), safe = b.min(next, last);
      is_own.push_back(b.bit_and(b.le(next, last), b.eq(d.load(places, safe), place)));
      element.push_back(binary ? d.load(values, b.mul(safe, step)) : ir::no_value);
    }
    std::vector<Value> carried(state.begin() + 2, state.end());
    for (size_t k = 0; k < element.size(); ++k) {
      inside = b.bit_and(inside, is_own[k]);
      carried = reduction.applied(carried, element[k], inside);
    }
    std::vector<Value> next{inside, b.add(at, d.word(at_once))};
    next.insert(next.end(), carried.begin(), carried.end());
    return next;
  };
  d.when(b.bit_or(b.eq(first, d.word(0)), b.ne(before, place)), [&] {
    std::vector<Value> start{b.constant(Scalar::of_bool(true)), first};
    for (Value part : reduction.start(d.load(to, place))) start.push_back(part);
    const std::vector<Value> reduced = b.while_(start, goes_on, apply_some);
    reduction.store(std::span(reduced).subspan(2), to, place, events);
  });
  return b.take();
}

// buffers: begins, order, values, target, events (int32)
ir::Kernel reduce_runs_kernel(const ops::Op& op, const ops::Signature& signature, DType target) {
  constexpr int at_once = 8;  // independent loads
  Dense d(1, "reduce_runs");
  ir::Builder& b = d.b;
  const uint32_t begins = d.read(DType::int64), order = d.read(DType::int64), values = d.read(signature.in[1]),
                 to = changed(d, target), events = changed(d, DType::int32);
  const Value place = b.index(0), begin = d.load(begins, place), end = d.load(begins, b.add(place, d.word(1)));
  const Value last = b.sub(end, d.word(1));
  const AtReduction reduction(d, op, signature, target);
  d.when(b.lt(begin, end), [&] {
    const std::vector<Value> start = reduction.start(d.load(to, place));
    const std::vector<Value> reduced = b.for_(begin, end, d.word(at_once), start, [&](std::span<const Value> state) {
      std::vector<Value> numbers, element, carried(state.begin() + 1, state.end());
      for (int k = 0; k < at_once; ++k) numbers.push_back(d.load(order, b.min(b.add(state[0], d.word(k)), last)));
      for (const Value number : numbers) element.push_back(d.load(values, number));
      for (int k = 0; k < at_once; ++k)
        carried = reduction.applied(carried, element[static_cast<size_t>(k)], b.le(b.add(state[0], d.word(k)), last));
      return carried;
    });
    reduction.store(reduced, to, place, events);
  });
  return b.take();
}

// A block applies a place's values: its first thread one after the other from shared memory, while the others load the
// next ones. buffers: begins, order, values, target, events (int32)
ir::Kernel reduce_long_runs_kernel(const ops::Op& op, const ops::Signature& signature, DType target) {
  constexpr int loaders = long_run_threads - 32, each = 4, chunk = loaders * each, unrolled = 8;
  static_assert(chunk % unrolled == 0);
  Dense d(2, "reduce_long_runs");
  ir::Builder& b = d.b;
  const uint32_t begins = d.read(DType::int64), order = d.read(DType::int64), values = d.read(signature.in[1]),
                 to = changed(d, target), events = changed(d, DType::int32);
  const uint32_t loaded = b.add_array({signature.in[1], 2 * chunk, true});
  const Value place = b.index(0), t = b.index(1), zero = d.word(0);
  const Value begin = d.load(begins, place), end = d.load(begins, b.add(place, d.word(1)));
  const Value last = b.sub(end, d.word(1)), loader = b.sub(t, d.word(32));
  const AtReduction reduction(d, op, signature, target);
  // Elements from `first` on, into the half of the shared memory that begins at `half`.
  const auto load = [&](Value first, Value half) {
    std::vector<Value> numbers, element;
    const auto own = [&](int k) { return b.add(loader, d.word(int64_t{k} * loaders)); };
    for (int k = 0; k < each; ++k) numbers.push_back(d.load(order, b.min(b.add(first, own(k)), last)));
    for (const Value number : numbers) element.push_back(d.load(values, number));
    for (int k = 0; k < each; ++k) b.store_array(loaded, element[static_cast<size_t>(k)], b.add(half, own(k)));
  };
  const auto apply = [&](std::span<const Value> state, Value half, Value count) {
    const Value whole = b.bit_and(count, d.word(-unrolled));
    std::vector<Value> carried = b.for_(zero, whole, d.word(unrolled), state, [&](std::span<const Value> at) {
      std::vector<Value> element, next(at.begin() + 1, at.end());
      for (int k = 0; k < unrolled; ++k) element.push_back(b.load_array(loaded, b.add(b.add(half, at[0]), d.word(k))));
      for (const Value value : element) next = reduction.applied(next, value, ir::no_value);
      return next;
    });
    return b.for_(whole, count, d.word(1), carried, [&](std::span<const Value> at) {
      return reduction.applied(at.subspan(1), b.load_array(loaded, b.add(half, at[0])), ir::no_value);
    });
  };
  const Value is_loader = b.ge(loader, zero), is_first = b.eq(t, zero);
  d.when(b.bit_and(is_loader, b.lt(begin, end)), [&] { load(begin, zero); });
  b.barrier();
  std::vector<Value> start = reduction.start(d.load(to, place));
  start.insert(start.begin(), zero);
  const std::vector<Value> reduced = b.for_(begin, end, d.word(chunk), start, [&](std::span<const Value> state) {
    const Value half = state[1], other = b.sub(d.word(chunk), half), next = b.add(state[0], d.word(chunk));
    d.when(b.bit_and(is_loader, b.lt(next, end)), [&] { load(next, other); });
    std::vector<Value> carried = b.if_(
        is_first, [&](auto) { return apply(state.subspan(2), half, b.min(b.sub(end, state[0]), d.word(chunk))); },
        [&](auto) { return std::vector<Value>(state.begin() + 2, state.end()); });
    b.barrier();
    carried.insert(carried.begin(), other);
    return carried;
  });
  d.when(b.bit_and(is_first, b.lt(begin, end)),
         [&] { reduction.store(std::span(reduced).subspan(1), to, place, events); });
  return b.take();
}

ir::Kernel narrow_places_kernel(DType to) {
  Dense d(1, "narrow_places");
  const uint32_t numbers = d.read(DType::int64), out = d.write(to);
  d.store(out, d.b.cast(d.load(numbers, d.b.index(0)), to), d.b.index(0));
  return d.b.take();
}

// buffers: places, values, target; scalar: stride of values
ir::Kernel change_places_kernel(ir::AtomicKind kind, DType dtype) {
  Dense d(1, "change_places");
  ir::Builder& b = d.b;
  const uint32_t places = d.read(DType::int64), values = d.read(dtype), to = changed(d, dtype);
  const Value place = d.load(places, b.index(0));
  b.atomic(kind, to, d.load(values, b.mul(b.index(0), d.number())), std::span(&place, 1));
  return b.take();
}

}  // namespace tessera::routines
