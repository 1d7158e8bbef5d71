// The index of the extreme of a lane: the first of equal ones, the first NaN before all others. The result does not
// depend on the order of comparisons.
#include "tessera/routines/extreme/kernels.h"
#include "tessera/routines/dense.h"

#include <bit>

namespace tessera::routines {

using ir::Value;

namespace {

/// Elements whose loads are in flight together.
int elements_at_once(DType dtype) { return itemsize(dtype) <= 4 ? 16 : 8; }

struct Best {
  Value value;
  Value place;
};

/// Whether x precedes y regardless of their indices: y is not NaN, and x is NaN or more extreme.
Value beats(ir::Builder& b, bool largest, Value x, Value y) {
  if (!is_floating(b.type(x))) return largest ? b.gt(x, y) : b.lt(x, y);
  return b.bit_and(b.bit_not(largest ? b.le(x, y) : b.ge(x, y)), b.eq(y, y));
}

/// The best of the current one and of candidates with higher indices.
Best best_of(ir::Builder& b, bool largest, Best best, const std::vector<Best>& later) {
  for (const Best& other : later) {
    const Value wins = beats(b, largest, other.value, best.value);
    best = {b.select(wins, other.value, best.value), b.select(wins, other.place, best.place)};
  }
  return best;
}

Best earlier(ir::Builder& b, bool largest, const Best& x, const Best& y) {
  const Value ties = b.bit_not(b.bit_or(beats(b, largest, x.value, y.value), beats(b, largest, y.value, x.value)));
  const Value wins = b.bit_or(beats(b, largest, x.value, y.value), b.bit_and(ties, b.lt(x.place, y.place)));
  return {b.select(wins, x.value, y.value), b.select(wins, x.place, y.place)};
}

/// The type in which elements are compared, with the same order.
DType compared(DType dtype) {
  if (is_boolean(dtype)) return DType::uint8;
  return dtype == DType::float16 || dtype == DType::bfloat16 ? DType::float32 : dtype;
}

/// The kernel along rows while it is built: each block searches a slice of a lane, and one block of each lane combines
/// the results of all its blocks.
struct ExtremeRows {
  bool largest, short_text;
  DType dtype;

  Dense d{2, "extreme"};
  ir::Builder& b = d.b;
  uint32_t x = d.read(dtype), out = d.write(DType::int64), told = counter(DType::uint64),
           tickets = counter(DType::uint32);
  Value n = d.number(), slice = d.number(), slices = d.number();
  DType type = compared(dtype);
  int at_once = short_text ? 1 : elements_at_once(dtype), span = at_once * extreme_threads;
  uint32_t values = b.add_array({type, extreme_threads, true}),
           found = b.add_array({DType::int64, extreme_threads, true});
  uint32_t drawn = b.add_array({DType::uint32, 1, true});
  Value t = b.index(1), zero = d.word(0), is_first = b.eq(t, zero);
  Value lane = short_text ? d.short_over(b.index(0), slices) : d.over(b.index(0), slices),
        s = b.sub(b.index(0), b.mul(lane, slices));
  Value lower = b.mul(s, slice), size = b.sub(b.min(b.add(lower, slice), n), lower), last = b.sub(size, d.word(1));
  Value origin = b.mul(lane, n), first = b.add(origin, lower);
  Value none = b.constant(Scalar::of_uint(DType::uint64, 0)), one = b.constant(Scalar::of_uint(DType::uint64, 1));
  Value nobody = b.constant(Scalar::of_uint(DType::uint32, 0)),
        somebody = b.constant(Scalar::of_uint(DType::uint32, 1));
  Value several = b.gt(slices, d.word(1)), own = b.index(0);

  uint32_t counter(DType counted) {
    return b.add_buffer({.dtype = counted, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  }
  Value element(Value at) { return b.cast(d.load(x, at), type); }
  /// Indices are relative to the slice's first element.
  Best candidate(Value k) { return {element(b.add(first, k)), b.cast(k, DType::int32)}; }
  std::vector<Value> walk(Value from, Value to, bool bounded, std::span<const Value> initial);
  Best best_of_thread();
  Best meet_at(Best best, Value distance);
  Best meet(Best best);
  Value draw_ticket();
  Value word_of(Value k);
  Value synchronise(Value at) { return b.atomic(ir::AtomicKind::bit_or, told, none, std::span(&at, 1)); }
  Value wait(Value word, Value seen);
  Best join_unrolled(Best best);
  Best join_in_loop(Best best);
  void join(Best best);
  void tell(Best best, Value ticket);
};

/// Rounds in which the threads of a block read the words of all slices.
constexpr int rounds = most_slices / extreme_threads;

/// The best of the thread's elements from `from` to `to`. Complete spans need no bounds check; past the end the last
/// candidate is compared again.
std::vector<Value> ExtremeRows::walk(Value from, Value to, bool bounded, std::span<const Value> initial) {
  return b.for_(from, to, d.word(span), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
    std::vector<Best> next;
    for (int k = 0; k < at_once; ++k) {
      const Value at = b.add(b.add(carried[0], t), d.word(int64_t{k} * extreme_threads));
      next.push_back(candidate(bounded ? b.min(at, last) : at));
    }
    const Best best = best_of(b, largest, {carried[1], carried[2]}, next);
    return {best.value, best.place};
  });
}

/// The best that the thread finds in its slice; its place is counted from the lane's begin.
Best ExtremeRows::best_of_thread() {
  const Best start = candidate(b.min(t, last));
  const Value initial[] = {start.value, start.place};
  const Value whole = short_text ? zero : b.mul(d.over(size, d.word(span)), d.word(span));
  const std::vector<Value> most = short_text ? std::vector<Value>{start.value, start.place}
                                             : walk(zero, whole, false, initial),
                           mine = walk(whole, size, true, most);
  return {mine[0], b.add(b.cast(mine[1], DType::int64), lower)};
}

/// The better one of this thread and of the one at this distance.
Best ExtremeRows::meet_at(Best best, Value distance) {
  b.store_array(values, best.value, t);
  b.store_array(found, best.place, t);
  b.barrier();
  const Value other = b.bit_xor(t, distance);
  best = earlier(b, largest, best, {b.load_array(values, other), b.load_array(found, other)});
  b.barrier();
  return best;
}

/// Combines the best of all threads of the block; every thread gets the result.
Best ExtremeRows::meet(Best best) {
  for (int distance = extreme_threads / 2; distance > 0 && !short_text; distance /= 2)
    best = meet_at(best, d.word(distance));
  if (!short_text) return best;
  const Value initial[] = {best.value, best.place};
  const Value levels = d.word(std::countr_zero(unsigned{extreme_threads}));
  const std::vector<Value> met =
      b.for_(zero, levels, d.word(1), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
        const Best next = meet_at({carried[1], carried[2]}, b.binary(ir::Opcode::shift_left, d.word(1), carried[0]));
        return {next.value, next.place};
      });
  return {met[0], met[1]};
}

/// The block that begins last combines the results, so no other block waits; its ticket is ready long before it is
/// needed.
Value ExtremeRows::draw_ticket() {
  const Value own_lane[] = {lane};
  const auto draw = [&](auto) {
    return std::vector<Value>{b.atomic(ir::AtomicKind::add, tickets, somebody, own_lane)};
  };
  return b.if_(b.bit_and(is_first, several), draw, [&](auto) { return std::vector<Value>{nobody}; })[0];
}

/// The word of the slice that this thread reads in round k; past the end the last one is read again.
Value ExtremeRows::word_of(Value k) {
  return b.add(b.mul(lane, slices), b.min(b.add(t, b.mul(k, d.word(extreme_threads))), b.sub(slices, d.word(1))));
}

/// The index that a slice's block wrote into its word, read until it is there.
Value ExtremeRows::wait(Value word, Value seen) {
  const Value initially[] = {seen};
  const auto misses = [&](std::span<const Value> told_) { return std::vector<Value>{b.eq(told_[0], none)}; };
  const auto again = [&](std::span<const Value>) { return std::vector<Value>{synchronise(word)}; };
  return b.cast(b.sub(b.while_(initially, misses, again)[0], one), DType::int64);
}

/// The best of this one and of the slices whose words the thread reads, all requested at once.
Best ExtremeRows::join_unrolled(Best best) {
  std::vector<Value> seen, places;
  for (int k = 0; k < rounds; ++k) seen.push_back(synchronise(word_of(d.word(k))));
  for (size_t k = 0; k < seen.size(); ++k) places.push_back(wait(word_of(d.word(static_cast<int64_t>(k))), seen[k]));
  std::vector<Best> others;
  for (Value place : places) others.push_back({element(b.add(origin, place)), place});
  for (const Best& other : others) best = earlier(b, largest, best, other);
  return best;
}

/// The same with little text.
Best ExtremeRows::join_in_loop(Best best) {
  const Value initial[] = {best.value, best.place};
  const std::vector<Value> joined =
      b.for_(zero, d.word(rounds), d.word(1), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
        const Value place = wait(word_of(carried[0]), none);
        const Best next = earlier(b, largest, {carried[1], carried[2]}, {element(b.add(origin, place)), place});
        return {next.value, next.place};
      });
  return {joined[0], joined[1]};
}

/// Stores the best of all slices, and clears words and ticket for the next launch.
void ExtremeRows::join(Best best) {
  const Best of_all = meet(short_text ? join_in_loop(best) : join_unrolled(best));
  b.for_(zero, d.word(rounds), d.word(1), {}, [&](std::span<const Value> k) {
    const Value at[] = {word_of(k[0])};
    return b.atomic(ir::AtomicKind::exchange, told, none, at), std::vector<Value>{};
  });
  d.when(is_first, [&] {
    d.store(out, of_all.place, lane);
    const Value own_lane[] = {lane};
    b.atomic(ir::AtomicKind::exchange, tickets, nobody, own_lane);
  });
}

/// Publishes the slice's best; the block with the last ticket combines.
void ExtremeRows::tell(Best best, Value ticket) {
  d.when(is_first, [&] {
    const Value own_word[] = {own};
    b.atomic(ir::AtomicKind::exchange, told, b.add(b.cast(best.place, DType::uint64), one), own_word);
    b.store_array(drawn, ticket, zero);
  });
  b.barrier();
  d.when(b.eq(b.cast(b.load_array(drawn, zero), DType::int64), b.sub(slices, d.word(1))), [&] { join(best); });
}

}  // namespace

// buffers: x, out, words and tickets that are 0 between launches; scalars: length of a lane, of a slice, slices
ir::Kernel extreme_rows_kernel(bool largest, DType dtype, bool short_text) {
  ExtremeRows rows{largest, short_text, dtype};
  const Value ticket = rows.draw_ticket();
  const Best best = rows.meet(rows.best_of_thread());
  const auto tell = [&](auto) { return rows.tell(best, ticket), std::vector<Value>{}; };
  const auto store = [&] { rows.d.store(rows.out, best.place, rows.lane); };
  rows.b.if_(rows.several, tell, [&](auto) { return rows.d.when(rows.is_first, store), std::vector<Value>{}; });
  return rows.b.take();
}

// The same along columns; scalars: rows, columns, rows of a slice, slices
ir::Kernel extreme_columns_kernel(bool largest, DType dtype, bool joins, bool short_text) {
  Dense d(2, "extreme_columns");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype), places = joins ? d.read(DType::int64) : 0, out = d.write(DType::int64);
  const Value n = d.number(), columns = d.number(), slice = d.number(), slices = d.number();
  const DType type = compared(dtype), counted = joins ? DType::int64 : DType::int32;
  const int at_once = short_text ? 1 : elements_at_once(dtype);
  const Value own = b.index(0), column = b.index(1), zero = d.word(0);
  // When joining, the rows of a lane are its slices.
  const Value outer = joins ? own : short_text ? d.short_over(own, slices) : d.over(own, slices);
  const Value lower = joins ? zero : b.mul(b.sub(own, b.mul(outer, slices)), slice);
  const Value size = joins ? slices : b.sub(b.min(b.add(lower, slice), n), lower), last = b.sub(size, d.word(1));
  const Value origin = b.add(b.mul(b.add(b.mul(outer, n), lower), columns), column);
  const auto candidate = [&](Value k) -> Best {
    const Value place = joins ? d.load(places, b.add(b.mul(b.add(b.mul(outer, slices), k), columns), column)) : k;
    return {b.cast(d.load(x, b.add(origin, b.mul(place, columns))), type), b.cast(place, counted)};
  };
  const auto walk = [&](Value from, Value to, bool bounded, std::span<const Value> initial) {
    return b.for_(from, to, d.word(at_once), initial, [&](std::span<const Value> carried) -> std::vector<Value> {
      std::vector<Best> next;
      for (int k = 0; k < at_once; ++k) {
        const Value at = b.add(carried[0], d.word(k));
        next.push_back(candidate(bounded ? b.min(at, last) : at));
      }
      const Best best = best_of(b, largest, {carried[1], carried[2]}, next);
      return {best.value, best.place};
    });
  };
  const Best start = candidate(zero);
  const Value initial[] = {start.value, start.place};
  const Value whole = short_text ? zero : b.mul(d.over(size, d.word(at_once)), d.word(at_once));
  const std::vector<Value> most = short_text ? std::vector<Value>{start.value, start.place}
                                             : walk(zero, whole, false, initial),
                           best = walk(whole, size, true, most);
  d.store(out, b.add(b.cast(best[1], DType::int64), lower), b.add(b.mul(own, columns), column));
  return b.take();
}

// buffers: x, indices, the elements; scalars: results, the index of the first of these rows
ir::Kernel extreme_elements_kernel(DType dtype) {
  Dense d(1, "extreme_elements");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(dtype),
                 indices = b.add_buffer({.dtype = DType::int64,
                                         .ndim = 1,
                                         .readable = true,
                                         .writable = true,
                                         .inner = ir::InnerStride::contiguous}),
                 out = d.write(dtype);
  const Value results = d.number(), first = d.number(), at = b.index(0), found = d.load(indices, at);
  d.store(out, d.load(x, b.add(b.mul(found, results), at)), at);
  d.store(indices, b.add(found, first), at);
  return b.take();
}

// buffers: indices of all parts, their elements, out; scalars: results, parts
ir::Kernel join_extremes_kernel(bool largest, DType dtype) {
  Dense d(1, "join_extremes");
  ir::Builder& b = d.b;
  const uint32_t indices = d.read(DType::int64), elements = d.read(dtype), out = d.write(DType::int64);
  const Value results = d.number(), parts = d.number(), at = b.index(0);
  const auto load = [&](Value place) { return b.cast(d.load(elements, place), compared(dtype)); };
  const Value first[] = {d.load(indices, at), load(at)};
  const Value found = b.for_(d.word(1), parts, d.word(1), first, [&](std::span<const Value> state) {
    const Value place = b.add(b.mul(state[0], results), at), element = load(place), best = state[2],
                better = beats(b, largest, element, best);
    return std::vector<Value>{b.select(better, d.load(indices, place), state[1]), b.select(better, element, best)};
  })[0];
  d.store(out, found, at);
  return b.take();
}

}  // namespace tessera::routines
