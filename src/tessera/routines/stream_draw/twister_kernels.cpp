#include "tessera/routines/stream_draw/twister_kernels.h"

#include <array>

#include "tessera/routines/dense.h"
#include "tessera/routines/word_arithmetic.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

namespace {

constexpr int64_t middle = 397, ahead = twister_size - middle;

/// A block's window: two runs of 624 words in shared memory, of which one follows the other.
class Window {
 public:
  explicit Window(Dense& d)
      : d_(d), b_(d.b), ring_(b_.add_array({DType::uint32, 2 * twister_size, true})), t_(b_.index(1)) {}

  void load(uint32_t states, Value segment) {
    each(
        [&](Value k) { b_.store_array(ring_, d_.load(states, b_.add(b_.mul(segment, d_.word(twister_size)), k)), k); });
    b_.barrier();
  }
  /// body(k) for this thread's words of a run.
  void each(const std::function<void(Value k)>& body) {
    for (int64_t first = 0; first < twister_size; first += twister_threads) {
      const Value k = b_.add(t_, d_.word(first));
      if (first + twister_threads <= twister_size)
        body(k);
      else
        d_.when(b_.lt(k, d_.word(twister_size)), [&] { body(k); });
    }
  }
  Value at(Value place) { return b_.load_array(ring_, place); }
  /// The word `k` after the beginning of the run at `base`, which the other run follows.
  Value behind(Value base, Value k) {
    const Value place = b_.add(base, k);
    return at(b_.select(b_.ge(place, d_.word(2 * twister_size)), b_.sub(place, d_.word(2 * twister_size)), place));
  }
  static Value other(Dense& d, Value base) { return d.b.sub(d.word(twister_size), base); }

  /// Makes the run after the one at `base` in the place of the other.
  void advance(Value base) {
    const Value next = other(d_, base);
    for (int64_t first = 0; first < twister_size; first += ahead) {
      const int64_t count = std::min(ahead, twister_size - first);
      d_.when(b_.lt(t_, d_.word(count)), [&] {
        const Value k = b_.add(t_, d_.word(first));
        const Value far =
            first == 0 ? at(b_.add(base, b_.add(k, d_.word(middle)))) : at(b_.add(next, b_.sub(k, d_.word(ahead))));
        const Value after = b_.add(k, d_.word(1));
        const Value following = first + count < twister_size
                                    ? b_.add(base, after)
                                    : b_.select(b_.eq(after, d_.word(twister_size)), next, b_.add(base, after));
        b_.store_array(ring_, b_.bit_xor(far, twist(at(b_.add(base, k)), at(following))), b_.add(next, k));
      });
      b_.barrier();
    }
  }

 private:
  Value twist(Value high, Value low) {
    const WordArithmetic w{b_, DType::uint32};
    const Value joined = b_.bit_or(b_.bit_and(high, w.of(0x80000000u)), b_.bit_and(low, w.of(0x7fffffffu)));
    const Value odd = b_.sub(w.of(0), b_.bit_and(joined, w.of(1)));
    return b_.bit_xor(w.right(joined, 1), b_.bit_and(odd, w.of(0x9908b0dfu)));
  }

  Dense& d_;
  ir::Builder& b_;
  const uint32_t ring_;
  const Value t_;
};

Value temper(ir::Builder& b, Value y) {
  const WordArithmetic w{b, DType::uint32};
  y = b.bit_xor(y, w.right(y, 11));
  y = b.bit_xor(y, b.bit_and(w.left(y, 7), w.of(0x9d2c5680u)));
  y = b.bit_xor(y, b.bit_and(w.left(y, 15), w.of(0xefc60000u)));
  return b.bit_xor(y, w.right(y, 18));
}

}  // namespace

ir::Kernel twister_jump_kernel() {
  constexpr int64_t each = (twister_size + twister_threads - 1) / twister_threads;
  Dense d(2, "twister_jump");
  ir::Builder& b = d.b;
  const uint32_t states =
      b.add_buffer({.dtype = DType::uint32, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  const uint32_t positions = d.read(DType::uint32), begins = d.read(DType::int64);
  const Value count = d.number(), zero = d.word(0);
  Window window(d);
  window.load(states, b.index(0));
  window.advance(zero);
  // Carried: where the first run is, and what this thread's words are so far.
  const Value none = b.constant(DType::uint32, 0);
  std::vector<Value> initial{zero};
  initial.insert(initial.end(), each, none);
  const auto chunk = [&](std::span<const Value> of) {
    const Value base = of[1], first = b.mul(of[0], d.word(twister_size));
    const std::vector<Value> before(of.begin() + 2, of.end());
    const auto add = [&](std::span<const Value> sums) {
      const Value position = b.sub(b.cast(d.load(positions, sums[0]), DType::int64), first);
      std::vector<Value> after;
      for (int64_t m = 0; m < each; ++m) {
        const Value k = b.min(b.add(b.index(1), d.word(m * twister_threads)), d.word(twister_size - 1));
        after.push_back(b.bit_xor(sums[static_cast<size_t>(m) + 1], window.behind(base, b.add(position, k))));
      }
      return after;
    };
    std::vector<Value> result =
        b.for_(d.load(begins, of[0]), d.load(begins, b.add(of[0], d.word(1))), d.word(1), before, add);
    b.barrier();
    const Value next = Window::other(d, base);
    window.advance(next);
    result.insert(result.begin(), next);
    return result;
  };
  const std::vector<Value> end = b.for_(zero, d.word(twister_chunks), d.word(1), initial, chunk);
  const Value to = b.mul(b.add(count, b.index(0)), d.word(twister_size));
  size_t m = 1;
  window.each([&](Value k) { d.store(states, end[m++], b.add(to, k)); });
  return b.take();
}

ir::Kernel twister_words_kernel() {
  Dense d(2, "twister_words");
  ir::Builder& b = d.b;
  const uint32_t states = d.read(DType::uint32), out = d.write(DType::uint32);
  const Value length = d.number(), skipped = d.number(), count = d.number(), exchanged = d.number(), zero = d.word(0);
  Window window(d);
  window.load(states, b.index(0));
  const Value begin = b.sub(b.mul(b.index(0), length), skipped), end = b.min(length, b.sub(count, begin));
  const Value initial[] = {zero};
  b.for_(zero, end, d.word(twister_size), initial, [&](std::span<const Value> of) {
    window.each([&](Value k) {
      const Value in_segment = b.add(of[0], k), place = b.add(begin, in_segment);
      d.when(b.bit_and(b.lt(in_segment, end), b.ge(place, zero)),
             [&] { d.store(out, temper(b, window.at(b.add(of[1], k))), b.bit_xor(place, exchanged)); });
    });
    window.advance(of[1]);
    return std::vector<Value>{Window::other(d, of[1])};
  });
  return b.take();
}

}  // namespace tessera::routines
