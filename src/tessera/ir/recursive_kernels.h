/// Kernels with functions that call themselves or each other, for tests.
#pragma once

#include <array>
#include <vector>

#include "tessera/ir/user_kernels.h"

namespace tessera::ir {

/// The functions of a kernel being built.
class Functions {
 public:
  explicit Functions(Builder& b) : b_(b) {}

  /// n < 2 ? n : f(n - 1) + f(n - 2)
  uint32_t fibonacci() {
    const uint32_t f = b_.add_function({.name = "fibonacci", .parameters = {i64}, .results = {i64}});
    const Value n = b_.begin_function(f)[0];
    const auto again = [&](std::span<const Value>) {
      return std::vector{
          b_.add(b_.call(f, std::array{b_.sub(n, number(1))})[0], b_.call(f, std::array{b_.sub(n, number(2))})[0])};
    };
    b_.end_function(f, b_.if_(b_.lt(n, number(2)), [&](auto) { return std::vector{n}; }, again));
    return f;
  }

  /// Whether n is even, by asking whether n - 1 is odd: two functions that call each other.
  uint32_t even() {
    const uint32_t even = b_.add_function({.name = "even", .parameters = {i64}, .results = {DType::boolean}});
    const uint32_t odd = b_.add_function({.name = "odd", .parameters = {i64}, .results = {DType::boolean}});
    for (uint32_t f : {even, odd}) {
      const Value n = b_.begin_function(f)[0];
      const auto other = [&](std::span<const Value>) {
        return b_.call(f == even ? odd : even, std::array{b_.sub(n, number(1))});
      };
      const auto ends = [&](std::span<const Value>) { return std::vector{b_.constant(Scalar::of_bool(f == even))}; };
      b_.end_function(f, b_.if_(b_.le(n, number(0)), ends, other));
    }
    return even;
  }

  /// Reverses the elements of a buffer of one axis between two places, and returns how many pairs it swapped and the
  /// sum of what it moved.
  uint32_t reverse(uint32_t buffer) {
    const uint32_t f =
        b_.add_function({.name = "reverse", .parameters = {i64, i64, i64}, .results = {i64, DType::float64}});
    const std::vector<Value> args = b_.begin_function(f);
    const auto swap = [&](std::span<const Value>) {
      const std::array low{args[0]}, high{args[1]};
      const Value x = b_.load(buffer, low), y = b_.load(buffer, high);
      b_.store(buffer, y, low);
      b_.store(buffer, x, high);
      const std::vector<Value> rest =
          b_.call(f, std::array{b_.add(args[0], number(1)), b_.sub(args[1], number(1)), b_.add(args[2], number(1))});
      return std::vector{rest[0], b_.add(b_.add(x, y), rest[1])};
    };
    const auto ends = [&](std::span<const Value>) { return std::vector{args[2], b_.constant(DType::float64, 0)}; };
    b_.end_function(f, b_.if_(b_.lt(args[0], args[1]), swap, ends));
    return f;
  }

 private:
  static constexpr DType i64 = DType::int64;
  Value number(int64_t n) { return b_.constant(Scalar::of_int(i64, n)); }
  Builder& b_;
};

/// out[i] = fibonacci(i % 13), or -1 where i is odd by two functions that call each other; one thread an element
inline Kernel recursive_kernel() {
  UserBuilder b("recursive");
  const uint32_t out = b.write(DType::float64, 1);
  Functions functions(b);
  const uint32_t fibonacci = functions.fibonacci(), even = functions.even();
  const Value i = b.whole('x');
  b.when(b.lt(i, b.dimension(out, 0)), [&] {
    const Value n = b.binary(Opcode::rem, i, b.number(13));
    const auto count = [&](auto) { return b.call(fibonacci, std::array{n}); };
    const auto none = [&](auto) { return std::vector{b.number(-1)}; };
    const Value x = b.if_(b.call(even, std::array{i})[0], count, none)[0];
    b.put(out, b.cast(x, DType::float64), {i});
  });
  return b.take();
}

/// Reverses each row of 8 elements of out, then stores how many pairs were swapped and their sum behind them: one
/// thread a row of 10
inline Kernel reverse_kernel() {
  UserBuilder b("reverse_rows");
  const uint32_t out = b.write(DType::float64, 1, true);
  const uint32_t reverse = Functions(b).reverse(out);
  const Value first = b.mul(b.whole('x'), b.number(10));
  b.when(b.lt(first, b.dimension(out, 0)), [&] {
    const std::vector<Value> told = b.call(reverse, std::array{first, b.add(first, b.number(7)), b.number(0)});
    b.put(out, b.cast(told[0], DType::float64), {b.add(first, b.number(8))});
    b.put(out, told[1], {b.add(first, b.number(9))});
  });
  return b.take();
}

}  // namespace tessera::ir
