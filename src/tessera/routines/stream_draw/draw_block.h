/// DrawBlock: what the kernels of a draw share: a block's units in shared memory, and its attempts.
#pragma once

#include "tessera/routines/stream_draw/draw_form.h"

namespace tessera::routines {

/// The sum of all threads' values before this one's, and of all; the block is draw_threads or a multiple of 32.
struct BlockSums {
  ir::Value before, total;
};
BlockSums sums_of_block(Dense& d, ir::Value value, int threads);

/// An attempt as a word: its unit in the block, how many units it takes, and what it is.
struct Attempt {
  ir::Value unit, length;
  ir::Value yields, is_tail;  // booleans
};

/// The words of DrawStatus in kernels.
class StatusWords {
 public:
  StatusWords(Dense& d, uint32_t buffer) : d_(d), buffer_(buffer) {}

  void tell(DrawStatus word, ir::Value value) { count(ir::AtomicKind::bit_or, word, value); }
  /// Adds one to a count; the count before.
  ir::Value next(DrawStatus word) { return count(ir::AtomicKind::add, word, d_.word(1)); }

 private:
  ir::Value count(ir::AtomicKind kind, DrawStatus word, ir::Value value) {
    const ir::Value at = d_.word(word);
    return d_.b.atomic(kind, buffer_, value, std::span(&at, 1));
  }

  Dense& d_;
  const uint32_t buffer_;
};

class DrawBlock {
 public:
  DrawBlock(Dense& d, const DrawForm& form);

  StatusWords status() { return {d_, status_}; }
  /// The block's number, which is given once.
  void begin(ir::Value block) { block_ = block; }
  ir::Value block() { return block_; }
  ir::Value thread() { return d_.b.index(1); }
  ir::Value first_unit() { return d_.b.mul(block(), d_.word(form_.units())); }

  /// take(unit's number in the stream, unit) for the block's units, without shared memory.
  void each_unit(const std::function<void(ir::Value at, ir::Value unit)>& take);
  /// Fills the shared units and the marks of those that yield a number by themselves, and decides the rare attempts.
  void prepare();
  /// body(units), of this thread, for rows of the block's units: several at a time, so that their loads overlap.
  void each_row(const std::function<void(std::span<const ir::Value> units)>& body);
  /// The number that a unit gives, where its attempt yields one.
  ir::Value number_of(ir::Value unit);
  ir::Value unit_at(ir::Value at) { return d_.b.load_array(units_, at); }
  /// The point of a pair of words.
  struct Point {
    ir::Value x, y, square;
  };
  Point point_at(ir::Value pair);
  /// first + second * x where the draw is scaled.
  ir::Value scaled(ir::Value x);
  /// Bit k of word m: whether unit 32 m + k yields a number.
  ir::Value marks(ir::Value m) { return d_.b.load_array(marks_, m); }
  uint32_t mark_array() const { return marks_; }
  int64_t mark_words() const { return form_.units() / 32; }

  /// Follows the chain that enters at `entry`: is_chosen() then says which rare attempts it has.
  void follow(ir::Value entry);
  /// body(attempt) for the chain's rare attempts, in parallel.
  void each_chosen(const std::function<void(const Attempt&)>& body);
  /// The uniform number of which a chosen tail is made, with the sign that it gives to the result.
  ir::Value uniform_of_tail(const Attempt& attempt);

 private:
  struct Glance {
    ir::Value number, strip, magnitude;
  };

  bool is_normal() const { return form_.method == DrawMethod::normal; }
  bool is_single() const { return form_.dtype == DType::float32; }
  DType unit_type() const { return form_.is_half ? DType::uint32 : DType::uint64; }
  WordArithmetic unit_arithmetic() const { return {d_.b, unit_type()}; }
  ir::Value real(double x) { return d_.b.constant(form_.dtype, x); }
  ir::Value with_pending(ir::Value at, ir::Value word);
  ir::Value uniform(ir::Value unit);
  Glance glance(ir::Value unit);
  ir::Value integer_of(ir::Value unit, bool asks_if_accepted);
  ir::Value is_common(ir::Value at);
  /// The part of a magnitude that decides nearly always whether it is inside of its strip.
  ir::Value upper_part(ir::Value magnitude);
  void each_rare(const std::function<void(ir::Value k)>& body);
  Attempt rare_attempt(ir::Value k);
  void find_head(ir::Value k, ir::Value entry);
  void follow_from(ir::Value first, ir::Value reach);
  void list_rare();
  void decide_rare();
  struct Decision {
    ir::Value length, yields, is_undecided;  // int64, booleans
  };
  Decision decide(ir::Value unit, const Glance& g);
  Decision decide_wedge(ir::Value unit, const Glance& g);
  Decision decide_tail(ir::Value unit);
  void resolve(ir::Value unit, const Decision& decision, ir::Value is_tail, ir::Value k);

  Dense& d_;
  const DrawForm form_;
  StreamWords words_;
  struct Ziggurat {
    uint32_t inside = 0, width = 0, height = 0;
  } table_, shared_;  // buffers, and arrays of the block
  uint32_t overrides_ = 0, undecided_ = 0, status_;
  ir::Value has_half_ = 0, half_ = 0, first_ = 0, second_ = 0, limit_ = 0;  // limit: threshold, mask, overrides
  uint32_t units_ = 0, marks_ = 0, rare_ = 0, chosen_ = 0, heads_ = 0;
  ir::Value block_ = 0, rare_count_ = 0;
};

}  // namespace tessera::routines
