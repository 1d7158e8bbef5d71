#include "tessera/routines/stream_draw/kernels.h"

#include "tessera/base/format.h"
#include "tessera/routines/stream_draw/draw_block.h"
#include "tessera/routines/stream_draw/look_back.h"
#include "tessera/routines/stream_draw/polar_factor.h"

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
  block.begin(d.b.index(0));
  const uint32_t out = d.write(form.dtype);
  const Value first = d.number(), count = d.number();
  block.each_unit([&](Value at, Value unit) {
    const Value place = d.b.sub(at, first);
    const Value is_inside = d.b.lt(place, count);
    d.when(form.is_half ? d.b.bit_and(is_inside, d.b.ge(place, d.word(0))) : is_inside,
           [&] { d.store(out, block.number_of(unit), place); });
  });
  ir::Kernel kernel = d.b.take();
  kernel.device.min_blocks = 4;
  return kernel;
}

namespace {

/// The units of the first word that lie before `entry`, which is below 32.
Value units_before(Dense& d, Value entry) {
  const WordArithmetic w{d.b, DType::uint32};
  return d.b.sub(d.b.binary(Opcode::shift_left, w.of(1), d.b.cast(entry, DType::uint32)), w.of(1));
}

Value ones(Dense& d, Value word) { return d.b.cast(d.b.unary(Opcode::popcount, word), DType::int64); }

class NumberWriter {
 public:
  explicit NumberWriter(const DrawForm& form)
      : d_(2, "draw_numbers"),
        form_(form),
        block_(d_, form),
        look_back_(d_),
        tails_(form.is_chain() || form.is_polar() ? d_.write(DType::int64) : 0),
        out_(d_.write(form.dtype)),
        first_entry_(d_.number()),
        count_(d_.number()),
        most_tails_(form.is_chain() || form.is_polar() ? d_.number() : 0) {}

  ir::Kernel make() {
    ir::Builder& b = d_.b;
    take_block();
    block_.prepare();
    Value entry = b.select(b.eq(block_.block(), d_.word(0)), first_entry_, d_.word(0));
    if (form_.is_chain()) entry = follow_chain();
    if (form_.is_chain() || form_.is_half) {
      d_.when(b.eq(block_.thread(), d_.word(0)), [&] {
        const Value kept = b.bit_and(block_.marks(d_.word(0)), b.bit_not(units_before(d_, entry)));
        b.store_array(block_.mark_array(), kept, d_.word(0));
      });
      b.barrier();
    }
    begin_ = look_back_.begin_of(block_.block(), count_before());
    form_.is_polar() ? write_pairs() : write_numbers();
    if (form_.is_chain()) finish_rare();
    ir::Kernel kernel = b.take();
    kernel.device.min_blocks = form_.source == WordSource::philox ? 4 : 5;  // a fifth would spill
    return kernel;
  }

 private:
  /// Blocks take their numbers in order as they start, so none waits for one that has not started.
  void take_block() {
    ir::Builder& b = d_.b;
    const uint32_t ticket = b.add_array({DType::int64, 1, true});
    d_.when(b.eq(block_.thread(), d_.word(0)),
            [&] { b.store_array(ticket, block_.status().next(tickets), d_.word(0)); });
    b.barrier();
    block_.begin(b.load_array(ticket, d_.word(0)));
  }

  /// Where the chain that was followed leaves the block.
  Value exit_of_chain(uint32_t exit) {
    ir::Builder& b = d_.b;
    const Value zero = d_.word(0);
    d_.when(b.eq(block_.thread(), zero), [&] { b.store_array(exit, zero, zero); });
    b.barrier();
    // At most one attempt of the chain goes beyond the block.
    block_.each_chosen([&](const Attempt& attempt) {
      const Value beyond = b.sub(b.add(attempt.unit, attempt.length), d_.word(form_.units()));
      d_.when(b.gt(beyond, zero), [&] { b.store_array(exit, beyond, zero); });
    });
    b.barrier();
    return b.load_array(exit, zero);
  }

  /// Marks the units that yield numbers: of rare attempts only the chain's, and none that a rare attempt takes. Returns
  /// the chain's entry.
  Value follow_chain() {
    ir::Builder& b = d_.b;
    const uint32_t exit = b.add_array({DType::int64, 1, true});
    block_.follow(d_.word(0));
    const Value likely_exit = exit_of_chain(exit);
    const Value entry = look_back_.entry_of(block_.block(), likely_exit, first_entry_);
    d_.when(b.ne(entry, d_.word(0)), [&] {
      block_.follow(entry);
      const Value has_met = b.eq(exit_of_chain(exit), likely_exit);
      d_.when(b.bit_not(has_met), [&] { block_.status().tell(gives_up, d_.word(1)); });
    });
    block_.each_chosen([&](const Attempt& attempt) { mark(attempt); });
    b.barrier();
    return entry;
  }

  void mark(const Attempt& attempt) {
    ir::Builder& b = d_.b;
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
  }

  /// How many marks are before each word of them; all of them are returned.
  Value count_before() {
    ir::Builder& b = d_.b;
    before_ = b.add_array({DType::uint32, block_.mark_words(), true});
    const Value t = block_.thread(), last_word = d_.word(block_.mark_words() - 1), is_word = b.le(t, last_word);
    const Value own = b.cast(b.unary(Opcode::popcount, block_.marks(b.min(t, last_word))), DType::uint32);
    const BlockSums sums = sums_of_block(d_, b.select(is_word, own, b.zero_like(own)), draw_threads);
    d_.when(is_word, [&] { b.store_array(before_, sums.before, t); });
    return b.cast(sums.total, DType::int64);
  }

  /// The number's place among all.
  Value place_of(Value unit) {
    ir::Builder& b = d_.b;
    const Value m = b.binary(Opcode::shift_right, unit, d_.word(5));
    const Value lower = units_before(d_, b.bit_and(unit, d_.word(31)));
    const Value in_block =
        b.add(b.cast(b.load_array(before_, m), DType::int64), ones(d_, b.bit_and(block_.marks(m), lower)));
    return b.add(begin_, in_block);
  }

  Value yields(Value unit) {
    ir::Builder& b = d_.b;
    const WordArithmetic w{b, DType::uint32};
    const Value marks = block_.marks(b.binary(Opcode::shift_right, unit, d_.word(5)));
    const Value own = b.binary(Opcode::shift_right, marks, b.cast(b.bit_and(unit, d_.word(31)), DType::uint32));
    return b.ne(b.bit_and(own, w.of(1)), w.of(0));
  }

  void tell_last(Value place, Value last_place, Value unit) {
    d_.when(d_.b.eq(place, last_place), [&] { block_.status().tell(last, d_.b.add(block_.first_unit(), unit)); });
  }

  // Nearly all units yield numbers, so all are computed.
  void write_numbers() {
    ir::Builder& b = d_.b;
    const Value last_place = b.sub(count_, d_.word(1));
    block_.each_row([&](std::span<const Value> units) {
      std::vector<Value> places, numbers, are_written;
      for (Value unit : units) {
        places.push_back(place_of(unit));
        numbers.push_back(block_.number_of(block_.unit_at(unit)));
        are_written.push_back(b.bit_and(yields(unit), b.le(places.back(), last_place)));
      }
      for (size_t k = 0; k < units.size(); ++k) {
        d_.when(are_written[k], [&] {
          d_.store(out_, numbers[k], places[k]);
          tell_last(places[k], last_place, units[k]);
        });
      }
    });
  }

  /// The first of a pair's normals is the second coordinate's.
  void write_pairs() {
    const Value last_place = d_.b.sub(count_, d_.word(1));
    block_.each_row([&](std::span<const Value> pairs) {
      for (Value pair : pairs) d_.when(yields(pair), [&] { write_pair(pair, last_place); });
    });
  }

  void write_pair(Value pair, Value last_place) {
    ir::Builder& b = d_.b;
    const Value number = place_of(pair), place = b.add(b.add(number, number), first_entry_),
                next_place = b.add(place, d_.word(1));
    d_.when(b.le(place, last_place), [&] {
      const DrawBlock::Point point = block_.point_at(pair);
      const PolarFactor found = polar_factor(b, point.square);
      d_.store(out_, block_.scaled(b.mul(found.factor, point.y)), place);
      d_.when(b.lt(place, last_place),
              [&] { d_.store(out_, block_.scaled(b.mul(found.factor, point.x)), next_place); });
      tell_last(b.min(next_place, last_place), last_place, pair);
      d_.when(found.is_doubtful, [&] { ask({point.square, place, point.x, point.y}); });
    });
  }

  /// Lists what the host needs to compute a number, field by field.
  void ask(std::initializer_list<Value> fields) {
    ir::Builder& b = d_.b;
    const Value slot = block_.status().next(tails);
    d_.when(b.lt(slot, most_tails_), [&] {
      Value at = slot;
      for (Value field : fields) {
        d_.store(tails_, b.bitcast(field, DType::int64), at);
        at = b.add(at, most_tails_);
      }
    });
  }

  /// Lists the numbers of tails.
  void finish_rare() {
    ir::Builder& b = d_.b;
    block_.each_chosen([&](const Attempt& attempt) {
      const Value place = place_of(attempt.unit), is_listed = b.bit_and(attempt.yields, attempt.is_tail);
      d_.when(b.bit_and(is_listed, b.lt(place, count_)), [&] { ask({block_.uniform_of_tail(attempt), place}); });
    });
  }

  Dense d_;
  const DrawForm form_;
  DrawBlock block_;
  LookBack look_back_;
  const uint32_t tails_, out_;
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
  d.store(out, d.load(values, k), d.load(places, k));
  return d.b.take();
}

ir::Kernel patch_pairs_kernel(bool is_scaled) {
  Dense d(1, "patch_pairs");
  ir::Builder& b = d.b;
  const uint32_t pairs = d.read(DType::int64), logs = d.read(DType::float64), out = d.write(DType::float64);
  const Value most = d.number(), count = d.number(), k = b.index(0);
  const auto parameter = [&] { return b.bitcast(d.number(), DType::float64); };
  const Value first = is_scaled ? parameter() : 0, second = is_scaled ? parameter() : 0;
  const auto scaled = [&](Value x) { return is_scaled ? b.add(first, b.mul(second, x)) : x; };
  const auto field = [&](int n) { return d.load(pairs, b.add(k, b.mul(most, d.word(n)))); };
  const auto real = [&](int n) { return b.bitcast(field(n), DType::float64); };
  const Value factor = factor_of(b, d.load(logs, k), real(0)), place = field(1), next = b.add(place, d.word(1));
  d.store(out, scaled(b.mul(factor, real(3))), place);
  d.when(b.lt(next, count), [&] { d.store(out, scaled(b.mul(factor, real(2))), next); });
  return b.take();
}

}  // namespace tessera::routines
