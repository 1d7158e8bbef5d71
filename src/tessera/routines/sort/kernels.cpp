// Stable radix sorts of rows, eight bits per pass from the lowest on. A block of threads takes a tile of a row: it
// ranks its keys by the digit, orders them in shared memory, and writes them after those of the row's earlier tiles,
// whose counts it reads back from tile to tile while they are being computed (onesweep, decoupled look-back). Counts
// are integers, so the result does not depend on scheduling.
#include "tessera/routines/sort/kernels.h"
#include "tessera/routines/dense.h"

#include "tessera/routines/sort/tile_sort.h"

namespace tessera::routines {

using ir::AtomicKind;
using ir::Opcode;
using ir::Value;

namespace {

constexpr int digits = sort_digits;

/// Status words of a tile's digit: a count, and in the two top bits whether it is missing, the tile's own, or
/// inclusive.
struct Status {
  ir::Builder& b;
  DType word;
  int shift() const { return static_cast<int>(8 * itemsize(word)) - 2; }
  Value of(uint64_t bits) { return b.constant(Scalar::of_uint(word, bits)); }
  Value own(Value count) { return b.bit_or(count, of(uint64_t{1} << shift())); }
  Value all(Value count) { return b.bit_or(count, of(uint64_t{2} << shift())); }
  Value kind(Value status) { return b.binary(Opcode::shift_right, status, of(static_cast<uint64_t>(shift()))); }
  Value count(Value status) { return b.bit_and(status, of((uint64_t{1} << shift()) - 1)); }
};

/// The number of keys before the tile's keys of this digit in the sorted row, those of lower digits included: goes back
/// to the nearest tile with an inclusive count, several tiles at a time because a load has a long latency. `first` is
/// the row's status word that is inclusive from the start.
Value look_back(Dense& d, Status& status, uint32_t buffer, Value first, Value at) {
  constexpr int at_once = 4;
  ir::Builder& b = d.b;
  const Value start[] = {b.sub(at, d.word(digits)), status.of(0), b.constant(Scalar::of_bool(true))};
  const auto goes_on = [&](std::span<const Value> state) { return std::vector<Value>{state[2], state[0], state[1]}; };
  const auto step = [&](std::span<const Value> state) -> std::vector<Value> {
    std::vector<Value> found;
    for (int k = 0; k < at_once; ++k) {
      const Value place = b.max(b.sub(state[0], d.word(int64_t{k} * digits)), first);
      found.push_back(b.atomic(AtomicKind::bit_or, buffer, status.of(0), std::span(&place, 1)));
    }
    Value next = state[0], sum = state[1], goes = b.constant(Scalar::of_bool(true)),
          knows = b.constant(Scalar::of_bool(false));
    for (Value word : found) {
      const Value kind = status.kind(word);
      sum = b.add(sum, b.select(goes, status.count(word), status.of(0)));
      knows = b.bit_or(knows, b.bit_and(goes, b.eq(kind, status.of(2))));
      goes = b.bit_and(goes, b.eq(kind, status.of(1)));
      next = b.select(goes, b.sub(next, d.word(digits)), next);
    }
    return {next, sum, b.bit_not(knows)};
  };
  return b.while_(start, goes_on, step)[1];
}

}  // namespace

// buffers: x, counts; scalars: length of a row, elements of a chunk, chunks a row
ir::Kernel sort_counts_kernel(DType element, bool short_text) {
  constexpr int copies = 4;  // of each counter: neighbouring lanes use different ones
  const int at_once = short_text ? 1 : 8;
  Dense d(2, "sort_counts");
  ir::Builder& b = d.b;
  SortKeys keys(b, element);
  const uint32_t x = d.read(keys.word());
  const uint32_t counts =
      b.add_buffer({.dtype = DType::uint32, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  const Value n = d.number(), chunk = d.number(), chunks = d.number();
  const int passes = keys.bits() / 8;
  const uint32_t own = b.add_array({DType::uint32, int64_t{passes} * digits * copies, true});
  const Value t = b.index(1), one = b.constant(DType::uint32, 1);
  const Value row = d.short_over(b.index(0), chunks), lower = b.mul(b.sub(b.index(0), b.mul(row, chunks)), chunk);
  const Value upper = b.min(b.add(lower, chunk), n), last = b.sub(n, d.word(1));
  const auto each = [&](int count, const std::function<void(Value)>& body) {
    for (int k = 0; k < count && !short_text; ++k) body(d.word(k));
    if (short_text)
      b.for_(d.word(0), d.word(count), d.word(1), {},
             [&](std::span<const Value> k) { return body(k[0]), std::vector<Value>{}; });
  };
  const auto slot_of = [&](Value k) { return b.add(t, b.mul(k, d.word(sort_counts_threads))); };
  each(passes * digits * copies / sort_counts_threads,
       [&](Value k) { b.store_array(own, b.constant(DType::uint32, 0), slot_of(k)); });
  b.barrier();
  const Value copy = b.bit_and(t, d.word(copies - 1));
  b.for_(b.add(lower, t), upper, d.word(int64_t{at_once} * sort_counts_threads), {}, [&](std::span<const Value> at) {
    std::vector<Value> key, inside;
    for (int k = 0; k < at_once; ++k) {
      const Value place = b.add(at[0], d.word(int64_t{k} * sort_counts_threads));
      inside.push_back(b.lt(place, upper));
      key.push_back(keys.joined(keys.encode(d.load(x, b.add(b.mul(row, n), b.min(place, last))))));
    }
    for (size_t k = 0; k < key.size(); ++k) {
      d.when(inside[k], [&] {
        each(passes, [&](Value pass) {
          const Value shifted = b.binary(Opcode::shift_right, key[k], b.cast(b.mul(pass, d.word(8)), keys.word()));
          const Value digit = b.cast(b.bit_and(shifted, keys.constant(digits - 1)), DType::int64);
          b.atomic_array(AtomicKind::add, own, one,
                         b.add(b.mul(b.add(digit, b.mul(pass, d.word(digits))), d.word(copies)), copy));
        });
      });
    }
    return std::vector<Value>{};
  });
  b.barrier();
  each(passes * digits / sort_counts_threads, [&](Value k) {
    const Value slot = slot_of(k);
    Value total = b.constant(DType::uint32, 0);
    for (int c = 0; c < copies; ++c)
      total = b.add(total, b.load_array(own, b.add(b.mul(slot, d.word(copies)), d.word(c))));
    const Value to[] = {b.add(b.mul(row, d.word(passes * digits)), slot)};
    b.atomic(AtomicKind::add, counts, total, to);
  });
  return b.take();
}

// Converts each row's counts to prefix sums, the inclusive status of the tile before its first. buffers: counts,
// status; scalars: passes, rows, tiles per row; one block per row and pass
ir::Kernel sort_begins_kernel(DType status_word) {
  Dense d(2, "sort_begins");
  ir::Builder& b = d.b;
  const uint32_t counts = d.read(DType::uint32), out = d.write(status_word);
  const Value passes = d.number(), rows = d.number(), tiles = d.number();
  const uint32_t sums[2] = {b.add_array({status_word, digits, true}), b.add_array({status_word, digits, true})};
  const Value t = b.index(1), zero = d.word(0);
  const Value row = d.short_over(b.index(0), passes), pass = b.sub(b.index(0), b.mul(row, passes));
  Value sum = b.cast(d.load(counts, b.add(b.mul(b.index(0), d.word(digits)), t)), status_word);
  const Value own = sum;
  for (int distance = 1, from = 0; distance < digits; distance *= 2, from = 1 - from) {
    b.store_array(sums[from], sum, t);
    b.barrier();
    const Value other = b.sub(t, d.word(distance));
    const Value found = b.load_array(sums[from], b.max(other, zero));
    sum = b.add(sum, b.select(b.lt(other, zero), b.zero_like(found), found));
  }
  Status status{b, status_word};
  const Value first = b.mul(b.add(b.mul(pass, rows), row), b.add(tiles, d.word(1)));
  d.store(out, status.all(b.sub(sum, own)), b.add(b.mul(first, d.word(digits)), t));
  return b.take();
}

namespace {

/// The kernel of one pass over tiles while it is built; a block sorts one tile.
struct SweepKernel {
  const SortSweep& sweep;

  Dense d{2, "sort_sweep"};
  ir::Builder& b = d.b;
  SortKeys keys{b, sweep.element};
  uint32_t in = d.read(keys.word()), in_places = sweep.places && !sweep.first ? d.read(DType::uint32) : 0;
  uint32_t out = sweep.places && sweep.last ? 0 : d.write(keys.word());
  uint32_t out_places = sweep.places ? d.write(sweep.last ? DType::int64 : DType::uint32) : 0;
  uint32_t statuses = counter(sweep.status), tickets = counter(DType::uint32);
  Value n = d.number(), tiles = d.number(), shift = b.cast(d.number(), keys.word()), pass = d.number();
  SortTile tile = sweep.tile;
  // Sorted elements keep the signs of zeros: only their digits are equal.
  TileSort sort{d, keys, tile, !sweep.places, sweep.places};
  uint32_t ticket = b.add_array({DType::int64, 2, true}), begins = b.add_array({DType::uint32, digits, true});
  Value t = sort.t(), zero = d.word(0), one = d.word(1);
  Status status{b, sweep.status};
  // Of the block's tile.
  Value row, number, first, origin, valid, last, begin, is_whole;
  std::vector<Value> key, place, digit;
  Value row_status, own_status;

  uint32_t counter(DType dtype) {
    return b.add_buffer({.dtype = dtype, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  }
  void take_tile();
  std::vector<Value> loaded(bool whole);
  void load();
  void tell(Value d_, Value word_);
  void publish_counts();
  void find_begins();
  void write(int k);
  std::vector<Value> write_all(bool whole);
};

/// Blocks take tiles in order as they start, so no block waits for a tile that has not been taken.
void SweepKernel::take_tile() {
  d.when(b.eq(t, zero), [&] {
    const Value own = b.cast(b.atomic(AtomicKind::add, tickets, sort.small(1), std::span(&pass, 1)), DType::int64);
    const Value own_row = d.short_over(own, tiles);
    b.store_array(ticket, own_row, zero);
    b.store_array(ticket, b.sub(own, b.mul(own_row, tiles)), one);
  });
  sort.clear_counts();
  b.barrier();
  row = b.load_array(ticket, zero), number = b.load_array(ticket, one);
  first = b.mul(number, d.word(tile.size())), origin = b.mul(row, n);
  valid = b.cast(b.min(b.sub(n, first), d.word(tile.size())), DType::uint32), last = b.sub(valid, sort.small(1));
  begin = b.add(origin, first), is_whole = b.eq(valid, sort.small(static_cast<uint64_t>(tile.size())));
}

/// Loads the thread's keys, then their places. A complete tile needs no bounds check.
std::vector<Value> SweepKernel::loaded(bool whole) {
  std::vector<Value> values, places;
  const Value own_begin = b.add(begin, sort.word(sort.own(0)));
  for (int k = 0; k < tile.keys; ++k) {
    const Value own = sort.own(k),
                at = whole ? b.add(own_begin, d.word(int64_t{32} * k)) : b.add(begin, sort.word(b.min(own, last)));
    const Value bits = d.load(in, at);
    values.push_back(whole || sweep.first ? bits : b.select(b.lt(own, valid), bits, keys.last()));
    if (in_places) places.push_back(d.load(in_places, at));
  }
  values.insert(values.end(), places.begin(), places.end());
  return values;
}

/// Finds the thread's keys, places and digits; the first pass encodes elements as keys.
void SweepKernel::load() {
  const std::vector<Value> values =
      b.if_(is_whole, [&](auto) { return loaded(true); }, [&](auto) { return loaded(false); });
  key.assign(values.begin(), values.begin() + tile.keys);
  place.assign(values.begin() + tile.keys, values.end());
  for (int k = 0; sweep.first && k < tile.keys; ++k) {
    Value& bits = key[static_cast<size_t>(k)];
    const Value encoded = keys.encode(bits);
    bits = b.select(b.lt(sort.own(k), valid), sweep.places ? keys.joined(encoded) : encoded, keys.last());
    if (sweep.places) place.push_back(b.add(b.cast(first, DType::uint32), sort.own(k)));
  }
  for (Value k : key) digit.push_back(sort.digit(k, shift));
}

void SweepKernel::tell(Value d_, Value word_) {
  const Value to = b.add(own_status, d_);
  b.atomic(AtomicKind::exchange, statuses, word_, std::span(&to, 1));
}

/// The tile publishes its counts before it ranks its keys, so that blocks that look back find them.
void SweepKernel::publish_counts() {
  sort.count(digit);
  b.barrier();
  row_status = b.mul(b.mul(row, b.add(tiles, one)), d.word(digits));
  own_status = b.add(row_status, b.mul(b.add(number, one), d.word(digits)));
  sort.add_up([&](Value d_, Value total) { tell(d_, status.own(b.cast(total, sweep.status))); });
}

/// Where the tile's keys of each digit begin in the row, relative to their begin in the tile.
void SweepKernel::find_begins() {
  sort.each_digit([&](Value d_) {
    const Value own_begin = sort.begin_of(d_), total = b.sub(sort.running(d_), own_begin);
    const Value before = look_back(d, status, statuses, b.add(row_status, d_), b.add(own_status, d_));
    tell(d_, status.all(b.add(before, b.cast(total, sweep.status))));
    b.store_array(begins, b.sub(b.cast(before, DType::uint32), own_begin), d_);
  });
}

/// Writes one of the thread's ordered keys.
void SweepKernel::write(int k) {
  const Value from = sort.in_order(k), found = sort.ordered_key(from);
  const Value digit_begin = b.load_array(begins, b.cast(sort.digit(found, shift), DType::int64));
  const Value to = b.add(origin, sort.word(b.add(digit_begin, b.cast(from, DType::uint32))));
  if (out_places)
    d.store(out_places, sweep.last ? b.cast(sort.ordered_place(from), DType::int64) : sort.ordered_place(from), to);
  if (!sweep.places || !sweep.last) d.store(out, sweep.last ? keys.decode(found) : found, to);
}

std::vector<Value> SweepKernel::write_all(bool whole) {
  for (int k = 0; k < tile.keys; ++k) {
    if (whole)
      write(k);
    else
      d.when(b.lt(sort.in_order(k), b.cast(valid, DType::int64)), [&] { write(k); });
  }
  return {};
}

}  // namespace

// buffers: keys, [places], new keys (except in a last pass with places), [new places], status, tickets; scalars: length
// of a row, tiles per row, shift, the pass
ir::Kernel sort_sweep_kernel(const SortSweep& sweep) {
  SweepKernel pass{sweep};
  ir::Builder& b = pass.b;
  TileSort& sort = pass.sort;
  pass.take_tile();
  pass.load();
  pass.publish_counts();
  b.barrier();
  sort.run_sums();
  sort.each_digit([&](Value d_) { sort.place_warps(d_, sort.begin_of(d_)); });
  b.barrier();
  sort.put_in_order(pass.digit, pass.key, pass.place);
  pass.find_begins();
  b.barrier();
  b.if_(pass.is_whole, [&](auto) { return pass.write_all(true); }, [&](auto) { return pass.write_all(false); });
  return b.take();
}

// Rows of at most one tile, one block per row. buffers: x, out (elements, or int64 indices); scalar: length of a row
ir::Kernel sort_rows_kernel(DType element, bool places, const SortTile& tile) {
  Dense d(2, "sort_rows");
  ir::Builder& b = d.b;
  SortKeys keys(b, element);
  const uint32_t in = d.read(keys.word()), out = d.write(places ? DType::int64 : keys.word());
  const Value n = d.number(), origin = b.mul(b.index(0), n);
  TileSort sort(d, keys, tile, !places, places);
  const Value count = b.cast(n, DType::uint32), last = b.sub(count, sort.small(1));
  std::vector<Value> initial;
  for (int k = 0; k < tile.keys; ++k) {
    const Value own = sort.own(k), bits = keys.encode(d.load(in, b.add(origin, sort.word(b.min(own, last)))));
    initial.push_back(b.select(b.lt(own, count), places ? keys.joined(bits) : bits, keys.last()));
  }
  for (int k = 0; places && k < tile.keys; ++k) initial.push_back(sort.own(k));
  const auto pass = [&](std::span<const Value> carried) {
    const Value shift = b.cast(carried[0], keys.word());
    const std::vector<Value> key(carried.begin() + 1, carried.begin() + 1 + tile.keys),
        place(carried.begin() + 1 + tile.keys, carried.end());
    std::vector<Value> digit, next;
    for (Value k : key) digit.push_back(sort.digit(k, shift));
    sort.clear_counts();
    b.barrier();
    sort.count(digit);
    b.barrier();
    sort.add_up([](Value, Value) {});
    b.barrier();
    sort.run_sums();
    sort.each_digit([&](Value d_) { sort.place_warps(d_, sort.begin_of(d_)); });
    b.barrier();
    sort.put_in_order(digit, key, place);
    b.barrier();
    for (int k = 0; k < tile.keys; ++k) next.push_back(sort.ordered_key(sort.word(sort.own(k))));
    for (int k = 0; places && k < tile.keys; ++k) next.push_back(sort.ordered_place(sort.word(sort.own(k))));
    return next;
  };
  const std::vector<Value> sorted = b.for_(d.word(0), d.word(keys.bits()), d.word(8), initial, pass);
  for (int k = 0; k < tile.keys; ++k) {
    const Value own = sort.own(k);
    const Value result = places ? b.cast(sorted[static_cast<size_t>(tile.keys + k)], DType::int64)
                                : keys.decode(sorted[static_cast<size_t>(k)]);
    d.when(b.lt(own, count), [&] { d.store(out, result, b.add(origin, sort.word(own))); });
  }
  return b.take();
}

}  // namespace tessera::routines
