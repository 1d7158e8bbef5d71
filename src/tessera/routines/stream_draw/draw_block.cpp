#include "tessera/routines/stream_draw/draw_block.h"

#include "tessera/library/random/ziggurat_tables.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

namespace {

// Decisions that a rounding error of the functions may change are left to the host: 45 units in the last place.
constexpr double doubtful = 1e-14, doubtful_single = 1e-6;

}  // namespace

BlockSums sums_of_block(Dense& d, Value value, int threads) {
  ir::Builder& b = d.b;
  const int warps = threads / 32;
  const Value t = b.index(1), lane = b.bit_and(t, d.word(31)), warp = b.binary(Opcode::shift_right, t, d.word(5));
  const Value all = b.constant(Scalar::of_uint(DType::uint32, 0xffffffff));
  Value sum = value;
  for (int distance = 1; distance < 32; distance *= 2) {
    const Value other = b.shuffle(ir::ShuffleKind::up, sum, b.constant(DType::int32, distance), all);
    sum = b.add(sum, b.select(b.ge(lane, d.word(distance)), other, b.zero_like(other)));
  }
  const uint32_t totals = b.add_array({b.type(value), warps, true});
  d.when(b.eq(lane, d.word(31)), [&] { b.store_array(totals, sum, warp); });
  b.barrier();
  Value before = b.zero_like(value), total = before;
  for (int w = 0; w < warps; ++w) {
    const Value of_warp = b.load_array(totals, d.word(w));
    before = b.add(before, b.select(b.lt(d.word(w), warp), of_warp, b.zero_like(value)));
    total = b.add(total, of_warp);
  }
  return {b.add(before, b.sub(sum, value)), total};
}

DrawBlock::DrawBlock(Dense& d, const DrawForm& form) : d_(d), form_(form), words_(d, form.source) {
  const DType table_words = is_single() ? DType::uint32 : DType::uint64;
  if (form.is_chain()) {
    table_.inside = d.read(table_words);
    table_.width = d.read(form.dtype);
    table_.height = d.read(form.dtype);
    overrides_ = d.read(DType::int64);
    undecided_ = d.write(DType::int64);
  }
  if (form.method != DrawMethod::uniform)
    status_ =
        d.b.add_buffer({.dtype = DType::int64, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  else
    status_ = 0;
  if (form.is_half) {
    has_half_ = d.number();
    half_ = d.b.cast(d.number(), DType::uint64);
  }
  const bool is_integer = form.method == DrawMethod::bounded || form.method == DrawMethod::masked;
  if (form.is_scaled || is_integer) {
    first_ = d.number();
    second_ = d.number();
  }
  if (is_integer || form.is_chain()) limit_ = d.number();
}

/// The stream of halves begins with the upper half of a word where one is pending.
Value DrawBlock::with_pending(Value at, Value word) {
  if (!form_.is_half) return word;
  ir::Builder& b = d_.b;
  const Value is_first = b.bit_and(b.eq(b.bit_or(at, block()), d_.word(0)), b.ne(has_half_, d_.word(0)));
  return b.select(is_first, WordArithmetic{b}.left(half_, 32), word);
}

void DrawBlock::each_unit(const std::function<void(Value at, Value unit)>& take) {
  ir::Builder& b = d_.b;
  const Value first = b.mul(block(), d_.word(draw_words));
  words_.each(block(), draw_words, [&](Value at, Value word) {
    word = with_pending(at, word);
    const Value place = b.add(first, at);
    if (!form_.is_half) return take(place, word);
    const Value twice = b.mul(place, d_.word(2));
    take(twice, b.cast(word, DType::uint32));
    take(b.add(twice, d_.word(1)), b.cast(WordArithmetic{b}.right(word, 32), DType::uint32));
  });
}

Value DrawBlock::uniform(Value unit) {
  ir::Builder& b = d_.b;
  const WordArithmetic w = unit_arithmetic();
  if (is_single()) return b.mul(b.cast(b.cast(w.right(unit, 8), DType::int32), form_.dtype), real(0x1p-24));
  if (form_.source != WordSource::memory)
    return b.mul(b.cast(b.cast(w.right(unit, 11), DType::int64), form_.dtype), real(0x1p-53));
  // The twister's doubles have 27 bits of the first word, and 26 of the second.
  const Value bits = b.bit_or(w.left(w.right(unit, 37), 26), w.right(b.bit_and(unit, w.of(0xffffffffu)), 6));
  return b.mul(b.cast(b.cast(bits, DType::int64), form_.dtype), real(0x1p-53));
}

DrawBlock::Glance DrawBlock::glance(Value unit) {
  ir::Builder& b = d_.b;
  const WordArithmetic w = unit_arithmetic();
  const bool single = is_single();
  const Value strip_bits = is_normal() ? unit : w.right(unit, single ? 1 : 3);
  const Value strip = b.cast(b.bit_and(strip_bits, w.of(255)), DType::int64);
  Value magnitude = w.right(unit, is_normal() || single ? 9 : 11);
  if (is_normal() && !single) magnitude = b.bit_and(magnitude, w.of(0x000fffffffffffffull));
  Value number = b.mul(b.cast(b.cast(magnitude, single ? DType::int32 : DType::int64), form_.dtype),
                       b.load_array(shared_.width, strip));
  if (is_normal()) {
    const Value sign = w.left(w.right(unit, 8), single ? 31 : 63);
    number = b.bitcast(b.bit_xor(b.bitcast(number, unit_type()), sign), form_.dtype);
  }
  return {number, strip, magnitude};
}

// Half of a double's bits: lanes of a warp that look at eight bytes each get in one another's way twice as often.
Value DrawBlock::upper_part(Value magnitude) {
  if (is_single()) return magnitude;
  return d_.b.cast(unit_arithmetic().right(magnitude, is_normal() ? 20 : 21), DType::uint32);
}

/// The integer that a unit gives, or whether it is accepted.
Value DrawBlock::integer_of(Value unit, bool asks_if_accepted) {
  ir::Builder& b = d_.b;
  const DType type = unit_type();
  const auto parameter = [&](Value x) { return b.cast(b.cast(x, DType::uint64), type); };
  const Value limit = parameter(limit_), range = parameter(second_);
  if (form_.method == DrawMethod::masked) {
    const Value value = b.bit_and(unit, limit);
    return asks_if_accepted ? b.le(value, range) : value;
  }
  if (asks_if_accepted) return b.ge(b.mul(unit, range), limit);
  return b.binary(Opcode::mul_high, unit, range);
}

DrawBlock::Point DrawBlock::point_at(Value pair) {
  ir::Builder& b = d_.b;
  const Value at = b.mul(pair, d_.word(2)), one = real(1);
  const auto coordinate = [&](Value unit) {
    const Value u = uniform(unit);
    return b.sub(b.add(u, u), one);
  };
  const Value x = coordinate(unit_at(at)), y = coordinate(unit_at(b.add(at, d_.word(1))));
  return {x, y, b.add(b.mul(x, x), b.mul(y, y))};
}

Value DrawBlock::is_common(Value at) {
  ir::Builder& b = d_.b;
  if (form_.is_polar()) {
    const Value square = point_at(at).square;
    return b.bit_and(b.lt(square, real(1)), b.ne(square, real(0)));
  }
  const Value unit = unit_at(at);
  if (!form_.is_chain()) return integer_of(unit, true);
  const Glance g = glance(unit);
  return b.lt(upper_part(g.magnitude), b.load_array(shared_.inside, g.strip));
}

Value DrawBlock::scaled(Value x) {
  if (!form_.is_scaled) return x;
  ir::Builder& b = d_.b;
  const auto parameter = [&](Value bits) { return b.bitcast(bits, DType::float64); };
  return b.add(parameter(first_), b.mul(parameter(second_), x));
}

Value DrawBlock::number_of(Value unit) {
  ir::Builder& b = d_.b;
  if (is_floating(form_.dtype)) return scaled(form_.is_chain() ? glance(unit).number : uniform(unit));
  const Value value = integer_of(unit, false), offset = b.cast(first_, DType::uint64);
  return b.cast(b.add(b.cast(value, DType::uint64), offset), form_.dtype);
}

void DrawBlock::prepare() {
  ir::Builder& b = d_.b;
  const int64_t per_word = form_.is_half ? 2 : 1;
  units_ = b.add_array({unit_type(), per_word * (draw_words + draw_words_ahead), true});
  marks_ = b.add_array({DType::uint32, mark_words(), true});
  if (form_.is_chain()) {
    // All words look into these: in a device's caches each lane would read a line of its own.
    static_assert(draw_threads == 256);
    shared_ = {b.add_array({DType::uint32, draw_threads, true}), b.add_array({form_.dtype, draw_threads, true})};
    b.store_array(shared_.inside, upper_part(d_.load(table_.inside, thread())), thread());
    b.store_array(shared_.width, d_.load(table_.width, thread()), thread());
  }
  words_.each(block(), draw_words + (form_.is_chain() ? draw_words_ahead : 0), [&](Value at, Value word) {
    word = with_pending(at, word);
    if (!form_.is_half) return b.store_array(units_, word, at);
    const Value twice = b.mul(at, d_.word(2));
    b.store_array(units_, b.cast(word, DType::uint32), twice);
    b.store_array(units_, b.cast(WordArithmetic{b}.right(word, 32), DType::uint32), b.add(twice, d_.word(1)));
  });
  b.barrier();
  const Value is_first = b.eq(b.bit_and(thread(), d_.word(31)), d_.word(0));
  each_row([&](std::span<const Value> units) {
    std::vector<Value> common;
    for (Value at : units) common.push_back(is_common(at));
    for (size_t k = 0; k < units.size(); ++k) {
      const Value ballot = b.ballot(common[k]);
      d_.when(is_first, [&] { b.store_array(marks_, ballot, b.binary(Opcode::shift_right, units[k], d_.word(5))); });
    }
  });
  b.barrier();
  if (!form_.is_chain()) return;
  list_rare();
  each_rare([&](Value k) {
    const Value unit = b.cast(b.load_array(rare_, k), DType::int64);
    const Glance g = glance(unit_at(unit));
    const Decision decision = decide(unit, g);
    const Value is_tail = b.bit_and(b.eq(g.strip, d_.word(0)), b.ne(decision.length, d_.word(1)));
    resolve(unit, decision, is_tail, k);
  });
  b.barrier();
}

void DrawBlock::each_row(const std::function<void(std::span<const Value> units)>& body) {
  constexpr int64_t rows = 4;
  ir::Builder& b = d_.b;
  b.for_(d_.word(0), d_.word(form_.units()), d_.word(rows * draw_threads), {}, [&](std::span<const Value> of) {
    Value units[rows];
    for (int64_t k = 0; k < rows; ++k) units[k] = b.add(b.add(of[0], d_.word(k * draw_threads)), thread());
    body(units);
    return std::vector<Value>{};
  });
}

void DrawBlock::each_rare(const std::function<void(Value k)>& body) {
  d_.b.for_(thread(), rare_count_, d_.word(draw_threads), {}, [&](std::span<const Value> of) {
    body(of[0]);
    return std::vector<Value>{};
  });
}

/// The units that are not marked, in order: each thread goes through a word of marks.
void DrawBlock::list_rare() {
  ir::Builder& b = d_.b;
  rare_ = b.add_array({DType::uint32, most_rare_attempts, true});
  const WordArithmetic w{b, DType::uint32};
  const Value t = thread(), has_marks = b.lt(t, d_.word(mark_words()));
  const Value own = b.bit_not(marks(b.min(t, d_.word(mark_words() - 1))));
  const Value mine = b.select(has_marks, own, w.of(0));
  const BlockSums sums = sums_of_block(d_, b.cast(b.unary(Opcode::popcount, mine), DType::uint32), draw_threads);
  const Value initial[] = {mine, b.cast(sums.before, DType::int64)};
  const auto is_left = [&](std::span<const Value> of) { return std::vector<Value>{b.ne(of[0], w.of(0))}; };
  const auto take = [&](std::span<const Value> of) -> std::vector<Value> {
    const Value below = b.sub(b.bit_and(of[0], b.sub(w.of(0), of[0])), w.of(1));
    const Value unit =
        b.add(b.mul(b.cast(t, DType::uint32), w.of(32)), b.cast(b.unary(Opcode::popcount, below), DType::uint32));
    d_.when(b.lt(of[1], d_.word(most_rare_attempts)), [&] { b.store_array(rare_, unit, of[1]); });
    return {b.bit_and(of[0], b.sub(of[0], w.of(1))), b.add(of[1], d_.word(1))};
  };
  b.while_(initial, is_left, take);
  const Value count = b.cast(sums.total, DType::int64);
  d_.when(b.bit_and(b.eq(t, d_.word(0)), b.gt(count, d_.word(most_rare_attempts))),
          [&] { status().tell(gives_up, d_.word(1)); });
  rare_count_ = b.min(count, d_.word(most_rare_attempts));
  b.barrier();
}

DrawBlock::Decision DrawBlock::decide(Value unit, const Glance& g) {
  ir::Builder& b = d_.b;
  const auto values = [](const Decision& x) { return std::vector<Value>{x.length, x.yields, x.is_undecided}; };
  const auto decision = [](std::span<const Value> x) { return Decision{x[0], x[1], x[2]}; };
  const auto otherwise = [&](auto) {
    return b.if_(
        b.eq(g.strip, d_.word(0)), [&](auto) { return values(decide_tail(unit)); },
        [&](auto) { return values(decide_wedge(unit, g)); });
  };
  if (is_single()) return decision(otherwise(0));
  // The upper part may not have told.
  const Value no = b.constant(DType::boolean, 0);
  const auto common = [&](auto) { return std::vector<Value>{d_.word(1), b.bit_not(no), no}; };
  return decision(b.if_(b.lt(g.magnitude, d_.load(table_.inside, g.strip)), common, otherwise));
}

DrawBlock::Decision DrawBlock::decide_wedge(Value unit, const Glance& g) {
  ir::Builder& b = d_.b;
  const auto wide = [&](Value x) { return b.cast(x, DType::float64); };
  const auto number = [&](double x) { return b.constant(DType::float64, x); };
  const Value upper = d_.load(table_.height, b.max(b.sub(g.strip, d_.word(1)), d_.word(0)));
  const Value lower = d_.load(table_.height, g.strip), u = uniform(unit_at(b.add(unit, d_.word(1))));
  const Value y = wide(b.add(b.mul(b.sub(upper, lower), u), lower)), x = wide(g.number);
  const Value density = b.exp(is_normal() ? b.mul(b.mul(number(-0.5), x), x) : b.neg(x));
  if (is_single() && !is_normal()) {
    // The host's density is rounded to float32, of which two may be meant.
    const auto is_below = [&](double factor) {
      return b.lt(y, wide(b.cast(b.mul(density, number(factor)), DType::float32)));
    };
    const Value yields = is_below(1 - 0x1p-25);
    return {d_.word(2), yields, b.ne(yields, is_below(1 + 0x1p-25))};
  }
  const Value is_near = b.le(b.abs(b.sub(y, density)), b.mul(density, number(doubtful)));
  return {d_.word(2), b.lt(y, density), is_near};
}

DrawBlock::Decision DrawBlock::decide_tail(Value unit) {
  ir::Builder& b = d_.b;
  const Value no = b.constant(DType::boolean, 0);
  if (!is_normal()) return {d_.word(2), b.bit_not(no), no};
  const Value inverse = real(-library::normal_tail_inverse), doubt = real(is_single() ? doubtful_single : doubtful);
  const auto log = [&](Value at) { return b.unary(Opcode::log1p, b.neg(uniform(unit_at(at)))); };
  // Carried: the next unit; 0, or 1 when a pair is accepted and 2 when the host must decide.
  const Value initial[] = {b.add(unit, d_.word(1)), d_.word(0)}, last = b.add(unit, d_.word(draw_entries - 2));
  const auto goes_on = [&](std::span<const Value> of) {
    return std::vector<Value>{b.bit_and(b.eq(of[1], d_.word(0)), b.lt(of[0], last))};
  };
  const auto try_pair = [&](std::span<const Value> of) -> std::vector<Value> {
    const Value a = b.mul(inverse, log(of[0])), other = b.neg(log(b.add(of[0], d_.word(1))));
    const Value twice = b.add(other, other), square = b.mul(a, a);
    const Value is_near = b.le(b.abs(b.sub(twice, square)), b.mul(b.add(twice, square), doubt));
    const Value found = b.select(b.gt(twice, square), d_.word(1), d_.word(0));
    return {b.add(of[0], d_.word(2)), b.select(is_near, d_.word(2), found)};
  };
  const std::vector<Value> tried = b.while_(initial, goes_on, try_pair);
  d_.when(b.eq(tried[1], d_.word(0)), [&] { status().tell(gives_up, d_.word(1)); });
  return {b.sub(tried[0], unit), b.bit_not(no), b.eq(tried[1], d_.word(2))};
}

void DrawBlock::resolve(Value unit, const Decision& decision, Value is_tail, Value k) {
  ir::Builder& b = d_.b;
  const Value place = b.add(first_unit(), unit);
  const auto ask = [&](auto) -> std::vector<Value> {
    const Value none[] = {d_.word(-1)};
    const Value found = b.for_(d_.word(0), limit_, d_.word(1), none, [&](std::span<const Value> of) {
      const Value entry = d_.load(overrides_, of[0]);
      const Value is_it = b.eq(b.binary(Opcode::shift_right, entry, d_.word(16)), place);
      return std::vector<Value>{b.select(is_it, b.bit_and(entry, d_.word(0xffff)), of[1])};
    })[0];
    d_.when(b.lt(found, d_.word(0)), [&] {
      const Value slot = status().next(undecided);
      d_.when(b.lt(slot, d_.word(most_undecided)), [&] { d_.store(undecided_, place, slot); });
    });
    const Value known = b.max(found, d_.word(2));
    return {b.binary(Opcode::shift_right, known, d_.word(1)), b.ne(b.bit_and(known, d_.word(1)), d_.word(0))};
  };
  const std::vector<Value> result =
      b.if_(decision.is_undecided, ask, [&](auto) { return std::vector<Value>{decision.length, decision.yields}; });
  d_.when(b.gt(result[0], d_.word(draw_entries - 1)), [&] { status().tell(gives_up, d_.word(1)); });
  const auto flag = [&](Value is_set, int bit) { return b.select(is_set, d_.word(int64_t{1} << bit), d_.word(0)); };
  const Value length = b.binary(Opcode::shift_left, b.min(result[0], d_.word(draw_entries)), d_.word(16));
  const Value packed = b.bit_or(b.bit_or(unit, length), b.bit_or(flag(result[1], 24), flag(is_tail, 25)));
  b.store_array(rare_, b.cast(packed, DType::uint32), k);
}

Value DrawBlock::uniform_of_tail(const Attempt& attempt) {
  ir::Builder& b = d_.b;
  // A normal's last two units are the pair that was taken.
  const Value at = b.sub(b.add(attempt.unit, attempt.length), d_.word(is_normal() ? 2 : 1));
  const Value u = b.cast(uniform(unit_at(at)), DType::float64);
  if (!is_normal()) return u;
  const Value bit = b.bit_and(unit_arithmetic().right(unit_at(attempt.unit), 17), unit_arithmetic().of(1));
  return b.select(b.ne(bit, unit_arithmetic().of(0)), b.neg(u), u);
}

Attempt DrawBlock::rare_attempt(Value k) {
  ir::Builder& b = d_.b;
  const Value packed = b.cast(b.load_array(rare_, k), DType::int64);
  const auto bits = [&](int from, int64_t mask) {
    return b.bit_and(b.binary(Opcode::shift_right, packed, d_.word(from)), d_.word(mask));
  };
  return {bits(0, 0xffff), bits(16, 0xff), b.ne(bits(24, 1), d_.word(0)), b.ne(bits(25, 1), d_.word(0))};
}

/// Goes on from an attempt of the chain, which ends at `reach`, to the next head; `first` is the attempt behind it.
void DrawBlock::follow_from(Value first, Value reach) {
  ir::Builder& b = d_.b;
  const Value initial[] = {first, reach}, last = d_.word(most_rare_attempts - 1);
  const auto goes_on = [&](std::span<const Value> of) {
    const Value is_head = b.load_array(heads_, b.min(of[0], last));
    return std::vector<Value>{b.bit_and(b.lt(of[0], rare_count_), b.bit_not(is_head))};
  };
  b.while_(initial, goes_on, [&](std::span<const Value> of) -> std::vector<Value> {
    const Attempt attempt = rare_attempt(of[0]);
    const Value is_next = b.ge(attempt.unit, of[1]);
    b.store_array(chosen_, is_next, of[0]);
    return {b.add(of[0], d_.word(1)), b.select(is_next, b.add(attempt.unit, attempt.length), of[1])};
  });
}

/// A head is an attempt that no earlier one, of the chain or not, can take units of: it is one of the chain.
void DrawBlock::find_head(Value k, Value entry) {
  ir::Builder& b = d_.b;
  const Value unit = rare_attempt(k).unit, zero = d_.word(0);
  const Value initial[] = {b.sub(k, d_.word(1)), b.select(b.ge(unit, entry), d_.word(1), zero)};
  const auto goes_on = [&](std::span<const Value> of) {
    const Value near = b.gt(b.add(rare_attempt(b.max(of[0], zero)).unit, d_.word(draw_entries)), unit);
    return std::vector<Value>{b.bit_and(b.bit_and(b.ge(of[0], zero), b.ne(of[1], zero)), near)};
  };
  const auto look = [&](std::span<const Value> of) -> std::vector<Value> {
    const Attempt before = rare_attempt(of[0]);
    const Value reaches = b.gt(b.add(before.unit, before.length), unit);
    return {b.sub(of[0], d_.word(1)), b.select(reaches, zero, of[1])};
  };
  const Value is_head = b.ne(b.while_(initial, goes_on, look)[1], zero);
  b.store_array(heads_, is_head, k);
  b.store_array(chosen_, is_head, k);
}

// From each head a thread goes through those behind it, mostly none.
void DrawBlock::follow(Value entry) {
  ir::Builder& b = d_.b;
  if (!chosen_) {
    chosen_ = b.add_array({DType::boolean, most_rare_attempts, true});
    heads_ = b.add_array({DType::boolean, most_rare_attempts, true});
  }
  each_rare([&](Value k) { find_head(k, entry); });
  b.barrier();
  d_.when(b.eq(thread(), d_.word(0)), [&] { follow_from(d_.word(0), entry); });
  each_rare([&](Value k) {
    const Attempt own = rare_attempt(k);
    d_.when(b.load_array(heads_, k), [&] { follow_from(b.add(k, d_.word(1)), b.add(own.unit, own.length)); });
  });
  b.barrier();
}

void DrawBlock::each_chosen(const std::function<void(const Attempt&)>& body) {
  each_rare([&](Value k) {
    const Attempt attempt = rare_attempt(k);
    d_.when(d_.b.load_array(chosen_, k), [&] { body(attempt); });
  });
}

}  // namespace tessera::routines
