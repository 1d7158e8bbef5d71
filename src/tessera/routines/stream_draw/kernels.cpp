#include "tessera/routines/stream_draw/kernels.h"

#include <optional>

#include "tessera/base/format.h"
#include "tessera/routines/stream_draw/draw_block.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

std::string DrawForm::text() const {
  return format("{} {} {}{}{}", static_cast<int>(source), static_cast<int>(method), name(dtype), is_half ? " half" : "",
                is_scaled ? " scaled" : "");
}

ir::Kernel draw_units_kernel(const DrawForm& form) {
  Dense d(2, "draw_units");
  DrawBlock block(d, form);
  const uint32_t out = d.write(form.dtype);
  const Value first = d.number(), count = d.number();
  block.each_unit([&](Value at, Value unit) {
    const Value place = d.b.sub(at, first);
    const Value is_inside = d.b.lt(place, count);
    d.when(form.is_half ? d.b.bit_and(is_inside, d.b.ge(place, d.word(0))) : is_inside,
           [&] { d.store(out, block.number_of(unit), place); });
  });
  return d.b.take();
}

namespace {

/// The units of the first word that lie before `entry`, which is below 32.
Value units_before(Dense& d, Value entry) {
  const WordArithmetic w{d.b, DType::uint32};
  return d.b.sub(d.b.binary(Opcode::shift_left, w.of(1), d.b.cast(entry, DType::uint32)), w.of(1));
}

Value ones(Dense& d, Value word) { return d.b.cast(d.b.unary(Opcode::popcount, word), DType::int64); }

/// The count and the exit of the chain that enters at `entry`, where each unit is an attempt of its own.
Value map_of_marks(Dense& d, DrawBlock& block, Value entry, Value total) {
  const Value before = d.b.bit_and(block.marks(d.word(0)), units_before(d, entry));
  return d.b.mul(d.b.sub(d.b.cast(total, DType::int64), ones(d, before)), d.word(256));
}

/// The same of chains of attempts: the count and the exit of the one that enters at the first unit, and for others
/// what differs until they meet it.
class ChainMaps {
 public:
  ChainMaps(Dense& d, DrawBlock& block, int64_t units)
      : d_(d), block_(block), units_(d.word(units)), exit_(d.b.add_array({DType::int64, 1, true})) {
    const Value t = block.thread(), zero = d.word(0);
    d.when(d.b.eq(t, zero), [&] { d.b.store_array(exit_, zero, zero); });
    block.follow(zero);
    // At most one attempt of the chain goes beyond the block.
    block.each_chosen([&](const Attempt& attempt) {
      const Value beyond = d.b.sub(d.b.add(attempt.unit, attempt.length), units_);
      d.when(d.b.gt(beyond, zero), [&] { d.b.store_array(exit_, beyond, zero); });
    });
    const Value k = d.b.min(t, d.word(most_rare_attempts - 1));
    const Value is_one = d.b.bit_and(d.b.lt(t, block.rare_attempts()), block.is_chosen(k));
    const Value own = d.b.select(is_one, block.lost(block.rare_attempt(k)), zero);
    lost_ = d.b.cast(sums_of_block(d, d.b.cast(own, DType::int32), draw_threads).total, DType::int64);
  }

  Value map_of(Value entry) {
    ir::Builder& b = d_.b;
    // Carried: the attempt, where this chain goes on, what it has lost more than the first one, whether they have met.
    const Value zero = d_.word(0), initial[] = {zero, entry, zero, zero}, last = d_.word(most_rare_attempts - 1);
    const auto goes_on = [&](std::span<const Value> of) {
      return std::vector<Value>{b.bit_and(b.lt(of[0], block_.rare_attempts()), b.eq(of[3], zero))};
    };
    const auto follow = [&](std::span<const Value> of) -> std::vector<Value> {
      const Value k = b.min(of[0], last);
      const Attempt attempt = block_.rare_attempt(k);
      const Value is_mine = b.ge(attempt.unit, of[1]), is_first = block_.is_chosen(k), lost = block_.lost(attempt);
      const Value more = b.sub(b.select(is_mine, lost, zero), b.select(is_first, lost, zero));
      const Value after = b.select(is_mine, b.add(attempt.unit, attempt.length), of[1]);
      return {b.add(of[0], d_.word(1)), after, b.add(of[2], more),
              b.select(b.bit_and(is_mine, is_first), d_.word(1), zero)};
    };
    const std::vector<Value> end = b.while_(initial, goes_on, follow);
    const Value own_exit = b.max(b.sub(end[1], units_), zero);
    const Value exit = b.select(b.ne(end[3], zero), b.load_array(exit_, zero), own_exit);
    const Value count = b.sub(b.sub(units_, entry), b.add(lost_, end[2]));
    return b.add(b.mul(count, d_.word(256)), exit);
  }

 private:
  Dense& d_;
  DrawBlock& block_;
  const Value units_;
  const uint32_t exit_;
  Value lost_ = 0;
};

Value exit_of(Dense& d, Value map) { return d.b.bit_and(map, d.word(255)); }

/// Where the chain enters a block: where the one of the block before, which entered at that block's first unit, left.
Value entry_of(Dense& d, uint32_t maps, Value block, Value first) {
  const Value before = d.b.max(d.b.sub(block, d.word(1)), d.word(0));
  const Value map = d.b.cast(d.load(maps, d.b.mul(before, d.word(draw_entries))), DType::int64);
  return d.b.select(d.b.eq(block, d.word(0)), first, exit_of(d, map));
}

}  // namespace

ir::Kernel draw_counts_kernel(const DrawForm& form) {
  Dense d(2, "draw_counts");
  ir::Builder& b = d.b;
  DrawBlock block(d, form);
  const uint32_t maps = d.write(DType::uint32);
  block.prepare();
  Value total = 0;
  std::optional<ChainMaps> chains;
  if (form.is_chain()) {
    chains.emplace(d, block, form.units());
  } else {
    const Value t = block.thread(), last = d.word(block.mark_words() - 1);
    const Value own = b.cast(b.unary(Opcode::popcount, block.marks(b.min(t, last))), DType::uint32);
    total = sums_of_block(d, b.select(b.le(t, last), own, b.zero_like(own)), draw_threads).total;
  }
  const Value entry = block.thread();
  d.when(b.lt(entry, d.word(draw_entries)), [&] {
    const Value map = chains ? chains->map_of(entry) : map_of_marks(d, block, entry, total);
    d.store(maps, b.cast(map, DType::uint32), b.add(b.mul(block.block(), d.word(draw_entries)), entry));
  });
  return b.take();
}

ir::Kernel draw_begins_kernel() {
  constexpr int each = 8;
  Dense d(2, "draw_begins");
  ir::Builder& b = d.b;
  const uint32_t maps = d.read(DType::uint32);
  const uint32_t status =
      b.add_buffer({.dtype = DType::int64, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  const uint32_t begins = d.write(DType::int64);
  const Value blocks = d.number(), first_entry = d.number(), t = b.index(1), zero = d.word(0);
  const auto take = [&](std::span<const Value> of) -> std::vector<Value> {
    const Value first = b.add(of[0], b.mul(t, d.word(each)));
    std::vector<Value> counts;
    Value sum = zero, fails = b.constant(DType::boolean, 0);
    for (int k = 0; k < each; ++k) {
      const Value at = b.add(first, d.word(k)), is_inside = b.lt(at, blocks),
                  block = b.min(at, b.sub(blocks, d.word(1)));
      const Value entry = entry_of(d, maps, block, first_entry), begin = b.mul(block, d.word(draw_entries));
      const Value map = b.cast(d.load(maps, b.add(begin, b.min(entry, d.word(draw_entries - 1)))), DType::int64);
      const Value assumed = exit_of(d, b.cast(d.load(maps, begin), DType::int64));
      const Value differs = b.bit_or(b.ge(entry, d.word(draw_entries)), b.ne(exit_of(d, map), assumed));
      fails = b.bit_or(fails, b.bit_and(is_inside, differs));
      counts.push_back(b.select(is_inside, b.binary(Opcode::shift_right, map, d.word(8)), zero));
      sum = b.add(sum, counts.back());
    }
    const Value place[] = {d.word(gives_up)};
    d.when(fails, [&] { b.atomic(ir::AtomicKind::bit_or, status, d.word(1), place); });
    const BlockSums sums = sums_of_block(d, sum, draw_begins_threads);
    Value before = b.add(of[1], sums.before);
    for (int k = 0; k < each; ++k) {
      const Value at = b.add(first, d.word(k));
      d.when(b.lt(at, blocks), [&] { d.store(begins, before, at); });
      before = b.add(before, counts[static_cast<size_t>(k)]);
    }
    b.barrier();
    return {b.add(of[1], sums.total)};
  };
  const Value initial[] = {zero};
  const Value total = b.for_(zero, blocks, d.word(int64_t{each} * draw_begins_threads), initial, take)[0];
  d.when(b.eq(t, zero), [&] { d.store(begins, total, blocks); });
  return b.take();
}

namespace {

/// The last kernel: numbers are written to their places.
class NumberWriter {
 public:
  explicit NumberWriter(const DrawForm& form)
      : d_(2, "draw_numbers"),
        form_(form),
        block_(d_, form),
        maps_(d_.read(DType::uint32)),
        begins_(d_.read(DType::int64)),
        tails_(form.is_chain() ? d_.write(DType::int64) : 0),
        out_(d_.write(form.dtype)),
        first_entry_(d_.number()),
        count_(d_.number()),
        most_tails_(form.is_chain() ? d_.number() : 0) {}

  ir::Kernel make() {
    ir::Builder& b = d_.b;
    block_.prepare();
    const Value entry = entry_of(d_, maps_, block_.block(), first_entry_);
    begin_ = d_.load(begins_, block_.block());
    if (form_.is_chain()) follow_chain(entry);
    d_.when(b.eq(block_.thread(), d_.word(0)), [&] {
      const Value kept = b.bit_and(block_.marks(d_.word(0)), b.bit_not(units_before(d_, entry)));
      b.store_array(block_.mark_array(), kept, d_.word(0));
    });
    b.barrier();
    count_before();
    write_numbers();
    if (form_.is_chain()) finish_rare();
    return b.take();
  }

 private:
  /// Marks the units that yield numbers: of rare attempts only the chain's, and none that a rare attempt takes.
  void follow_chain(Value entry) {
    ir::Builder& b = d_.b;
    block_.follow(entry);
    block_.each_chosen([&](const Attempt& attempt) {
      const WordArithmetic w{b, DType::uint32};
      const auto bit_of = [&](Value unit) {
        const Value place = b.cast(b.bit_and(unit, d_.word(31)), DType::uint32);
        return b.binary(Opcode::shift_left, w.of(1), place);
      };
      const auto word_of = [&](Value unit) { return b.binary(Opcode::shift_right, unit, d_.word(5)); };
      d_.when(attempt.yields, [&] {
        b.atomic_array(ir::AtomicKind::bit_or, block_.mark_array(), bit_of(attempt.unit), word_of(attempt.unit));
      });
      const Value end = b.min(b.add(attempt.unit, attempt.length), d_.word(form_.units()));
      b.for_(b.add(attempt.unit, d_.word(1)), end, d_.word(1), {}, [&](std::span<const Value> of) {
        b.atomic_array(ir::AtomicKind::bit_and, block_.mark_array(), b.bit_not(bit_of(of[0])), word_of(of[0]));
        return std::vector<Value>{};
      });
    });
    b.barrier();
  }

  void count_before() {
    ir::Builder& b = d_.b;
    before_ = b.add_array({DType::uint32, block_.mark_words(), true});
    const Value t = block_.thread(), last = d_.word(block_.mark_words() - 1), is_word = b.le(t, last);
    const Value own = b.cast(b.unary(Opcode::popcount, block_.marks(b.min(t, last))), DType::uint32);
    const BlockSums sums = sums_of_block(d_, b.select(is_word, own, b.zero_like(own)), draw_threads);
    d_.when(is_word, [&] { b.store_array(before_, sums.before, t); });
    b.barrier();
  }

  /// The number's place in the result.
  Value place_of(Value unit) {
    ir::Builder& b = d_.b;
    const Value m = b.binary(Opcode::shift_right, unit, d_.word(5));
    const Value lower = units_before(d_, b.bit_and(unit, d_.word(31)));
    const Value in_block =
        b.add(b.cast(b.load_array(before_, m), DType::int64), ones(d_, b.bit_and(block_.marks(m), lower)));
    return b.add(begin_, in_block);
  }

  void tell_end(Value place, Value after) {
    d_.when(d_.b.eq(place, d_.b.sub(count_, d_.word(1))),
            [&] { block_.tell(end, d_.b.add(block_.first_unit(), after)); });
  }

  void write_numbers() {
    ir::Builder& b = d_.b;
    const WordArithmetic w{b, DType::uint32};
    b.for_(d_.word(0), d_.word(form_.units()), d_.word(draw_threads), {}, [&](std::span<const Value> of) {
      const Value at = b.add(of[0], block_.thread()),
                  marks = block_.marks(b.binary(Opcode::shift_right, at, d_.word(5)));
      const Value own = b.binary(Opcode::shift_right, marks, b.cast(b.bit_and(at, d_.word(31)), DType::uint32));
      const Value place = place_of(at), yields = b.ne(b.bit_and(own, w.of(1)), w.of(0));
      d_.when(b.bit_and(yields, b.lt(place, count_)), [&] {
        const Value unit = block_.unit_at(at);
        d_.store(out_, block_.number_of(unit), place);
        d_.when(b.eq(place, b.sub(count_, d_.word(1))),
                [&] { d_.when(block_.is_common(unit), [&] { tell_end(place, b.add(at, d_.word(1))); }); });
      });
      return std::vector<Value>{};
    });
  }

  void finish_rare() {
    ir::Builder& b = d_.b;
    block_.each_chosen([&](const Attempt& attempt) {
      const Value place = place_of(attempt.unit);
      d_.when(b.bit_and(attempt.yields, b.lt(place, count_)), [&] {
        tell_end(place, b.add(attempt.unit, attempt.length));
        d_.when(attempt.is_tail, [&] {
          const Value slot = block_.next(tails), twice = b.mul(slot, d_.word(2));
          d_.when(b.lt(slot, most_tails_), [&] {
            d_.store(tails_, place, twice);
            d_.store(tails_, b.add(block_.first_unit(), attempt.unit), b.add(twice, d_.word(1)));
          });
        });
      });
    });
  }

  Dense d_;
  const DrawForm form_;
  DrawBlock block_;
  const uint32_t maps_, begins_, tails_, out_;
  const Value first_entry_, count_, most_tails_;
  Value begin_ = 0;
  uint32_t before_ = 0;
};

}  // namespace

ir::Kernel draw_numbers_kernel(const DrawForm& form) { return NumberWriter(form).make(); }

ir::Kernel patch_numbers_kernel(DType dtype) {
  Dense d(1, "patch_numbers");
  const uint32_t places = d.read(DType::int64), values = d.read(dtype), out = d.write(dtype);
  const Value k = d.b.index(0);
  d.store(out, d.load(values, k), d.load(places, d.b.mul(k, d.word(2))));
  return d.b.take();
}

}  // namespace tessera::routines
