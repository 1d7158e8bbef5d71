#include "tessera/routines/stream_draw/stream_words.h"

#include <array>

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

namespace {

constexpr uint64_t cheap_multiplier = 0xda942042e4dd58b5ull;

}  // namespace

StreamWords::StreamWords(Dense& d, WordSource source)
    : d_(d), source_(source), buffer_(d.read(DType::uint64)), w_{d.b} {
  switch (source) {
    case WordSource::pcg64:
    case WordSource::pcg64dxsm:
      state_ = wide();
      factor_ = wide();
      offset_ = wide();
      break;
    case WordSource::philox:
      for (Value& part : counter_) part = word();
      for (Value& part : key_) part = word();
      skipped_ = d.number();
      break;
    case WordSource::memory: available_ = d.number(); break;
  }
}

void StreamWords::each(Value block, int64_t count, const Take& take) {
  switch (source_) {
    case WordSource::pcg64:
    case WordSource::pcg64dxsm: return each_of_pcg(block, count, take);
    case WordSource::philox: return each_of_philox(block, count, take);
    case WordSource::memory: return each_of_memory(block, count, take);
  }
}

StreamWords::Wide StreamWords::multiply(Wide x, Wide y) const {
  ir::Builder& b = d_.b;
  const Value middle = b.add(b.mul(x.low, y.high), b.mul(x.high, y.low));
  return {b.add(b.binary(Opcode::mul_high, x.low, y.low), middle), b.mul(x.low, y.low)};
}

StreamWords::Wide StreamWords::add(Wide x, Wide y) const {
  ir::Builder& b = d_.b;
  const Value low = b.add(x.low, y.low), carry = b.cast(b.lt(low, x.low), DType::uint64);
  return {b.add(b.add(x.high, y.high), carry), low};
}

StreamWords::Wide StreamWords::jump(Wide state, int level, Value row) {
  const Value at = d_.b.mul(d_.b.add(row, d_.word(level * jump_rows)), d_.word(4));
  const auto load = [&](int k) { return d_.load(buffer_, d_.b.add(at, d_.word(k))); };
  return step(state, {load(0), load(1)}, {load(2), load(3)});
}

Value StreamWords::output(Wide state) const {
  ir::Builder& b = d_.b;
  if (source_ == WordSource::pcg64dxsm) {
    Value high = b.bit_xor(state.high, w_.right(state.high, 32));
    high = b.mul(high, w_.of(cheap_multiplier));
    high = b.bit_xor(high, w_.right(high, 48));
    return b.mul(high, b.bit_or(state.low, w_.of(1)));
  }
  const Value reduced = b.bit_xor(state.high, state.low), turn = w_.right(state.high, 58);
  const Value back = b.bit_and(b.sub(w_.of(0), turn), w_.of(63));
  return b.bit_or(b.binary(Opcode::shift_right, reduced, turn), b.binary(Opcode::shift_left, reduced, back));
}

void StreamWords::each_of_pcg(Value block, int64_t count, const Take& take) {
  ir::Builder& b = d_.b;
  const Value t = b.index(1);
  Wide state = jump(state_, 0, t);
  for (int level = 1; level < jump_levels; ++level) {
    const Value digit = b.binary(Opcode::shift_right, block, d_.word(8 * (level - 1)));
    state = jump(state, level, b.bit_and(digit, d_.word(jump_rows - 1)));
  }
  const int64_t rows = count / draw_threads;
  const Value first[] = {state.high, state.low};
  const auto row = [&](std::span<const Value> of) -> std::vector<Value> {
    take(b.add(of[0], t), output({of[1], of[2]}));
    const Wide next = step({of[1], of[2]}, factor_, offset_);
    return {next.high, next.low};
  };
  const std::vector<Value> last = b.for_(d_.word(0), d_.word(rows * draw_threads), d_.word(draw_threads), first, row);
  const Value at = b.add(d_.word(rows * draw_threads), t);
  if (rows * draw_threads < count) d_.when(b.lt(at, d_.word(count)), [&] { take(at, output({last[0], last[1]})); });
}

/// J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3" (2011): Philox4x64-10 of the counter, and
/// `number` beyond it.
std::array<Value, 4> StreamWords::philox(Value number) const {
  ir::Builder& b = d_.b;
  std::array<Value, 4> c = counter_;
  Value carry = number;
  for (Value& part : c) {
    part = b.add(part, carry);
    carry = b.cast(b.lt(part, carry), DType::uint64);
  }
  Value key[] = {key_[0], key_[1]};
  for (int round = 0; round < 10; ++round) {
    const auto low = [&](Value x, uint64_t by) { return b.mul(x, w_.of(by)); };
    const auto high = [&](Value x, uint64_t by) { return b.binary(Opcode::mul_high, x, w_.of(by)); };
    constexpr uint64_t first = 0xd2e7470ee14c6c93ull, second = 0xca5a826395121157ull;
    c = {b.bit_xor(b.bit_xor(high(c[2], second), c[1]), key[0]), low(c[2], second),
         b.bit_xor(b.bit_xor(high(c[0], first), c[3]), key[1]), low(c[0], first)};
    key[0] = b.add(key[0], w_.of(0x9e3779b97f4a7c15ull));
    key[1] = b.add(key[1], w_.of(0xbb67ae8584caa73bull));
  }
  return c;
}

void StreamWords::each_of_philox(Value block, int64_t count, const Take& take) {
  ir::Builder& b = d_.b;
  const int64_t numbers = (count + 3) / 4 + 1;  // of four words, one more as some are skipped
  const Value before = b.mul(block, d_.word(draw_words / 4));
  const auto row = [&](std::span<const Value> of) -> std::vector<Value> {
    const Value number = b.add(of[0], b.index(1));
    const std::array<Value, 4> words = philox(b.cast(b.add(before, number), DType::uint64));
    for (int k = 0; k < 4; ++k) {
      const Value at = b.sub(b.add(b.mul(number, d_.word(4)), d_.word(k)), skipped_);
      const Value inside = b.bit_and(b.ge(at, d_.word(0)), b.lt(at, d_.word(count)));
      d_.when(inside, [&] { take(at, words[static_cast<size_t>(k)]); });
    }
    return {};
  };
  const int64_t rows = (numbers + draw_threads - 1) / draw_threads;
  b.for_(d_.word(0), d_.word(rows * draw_threads), d_.word(draw_threads), {}, row);
}

void StreamWords::each_of_memory(Value block, int64_t count, const Take& take) {
  ir::Builder& b = d_.b;
  const Value before = b.mul(block, d_.word(draw_words)), last = b.sub(available_, d_.word(1));
  const int64_t rows = count / draw_threads;
  b.for_(d_.word(0), d_.word(rows * draw_threads), d_.word(draw_threads), {}, [&](std::span<const Value> of) {
    const Value at = b.add(of[0], b.index(1));
    take(at, d_.load(buffer_, b.min(b.add(before, at), last)));
    return std::vector<Value>{};
  });
  if (rows * draw_threads == count) return;
  const Value at = b.add(d_.word(rows * draw_threads), b.index(1));
  d_.when(b.lt(at, d_.word(count)), [&] { take(at, d_.load(buffer_, b.min(b.add(before, at), last))); });
}

}  // namespace tessera::routines
