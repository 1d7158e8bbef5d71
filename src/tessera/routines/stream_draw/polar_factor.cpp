#include "tessera/routines/stream_draw/polar_factor.h"

#include "tessera/routines/word_arithmetic.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

namespace {

/// Numbers as unevaluated sums of two doubles, of which the first is the rounded sum.
class Doubled {
 public:
  struct Number {
    Value high, low;
  };

  explicit Doubled(ir::Builder& b) : b_(b) {}

  Value of(double x) { return b_.constant(DType::float64, x); }
  /// x + y, of which y is the smaller.
  Number add(Number x, Number y) {
    const Value sum = b_.add(x.high, y.high);
    return {sum, b_.add(b_.add(b_.sub(x.high, sum), y.high), b_.add(x.low, y.low))};
  }
  Number multiply(Number x, Number y) {
    const Value product = b_.mul(x.high, y.high);
    const Value rest = b_.fma(x.high, y.high, b_.neg(product));
    return {product, b_.add(rest, b_.add(b_.mul(x.high, y.low), b_.mul(x.low, y.high)))};
  }
  /// (m - 1) / (m + 1)
  Number ratio(Value m) {
    const Value one = of(1), above = b_.sub(m, one), sum = b_.add(m, one), lost = b_.add(b_.sub(one, sum), m);
    const Value quotient = b_.div(above, sum), back = b_.neg(quotient);
    const Value rest = b_.fma(back, lost, b_.fma(back, sum, above));
    return {quotient, b_.div(rest, sum)};
  }

 private:
  ir::Builder& b_;
};

/// The logarithm, with a relative error below 2^-64: square = m * 2^k with m near 1, and log m = 2 artanh(z) of
/// z = (m - 1) / (m + 1).
Doubled::Number log_of(ir::Builder& b, Value square) {
  using Number = Doubled::Number;
  Doubled d(b);
  const WordArithmetic w{b};
  // 2^-k is taken away where m lies in [sqrt(1/2), sqrt(2)).
  constexpr uint64_t root_half = 0x3fe6a09e667f3bcdull;
  const Value bits = b.bitcast(square, DType::uint64), offset = b.sub(bits, w.of(root_half));
  const Value power = b.binary(Opcode::shift_right, b.bitcast(offset, DType::int64), b.constant(DType::int64, 52));
  const Value scale = w.left(b.bitcast(power, DType::uint64), 52);
  const Number z = d.ratio(b.bitcast(b.sub(bits, scale), DType::float64)), squared = d.multiply(z, z);
  // 1/5 + z^2/7 + ... + z^20/25
  Value sum = d.of(1.0 / 25);
  for (int k = 23; k >= 5; k -= 2) sum = b.fma(sum, squared.high, d.of(1.0 / k));
  constexpr double third = 1.0 / 3, rest_of_third = 0x1.5555555555555p-56;  // 1/3 less `third`
  const Value tail = b.mul(sum, squared.high);
  const Number series = d.add({d.of(third), d.of(rest_of_third)}, {tail, d.of(0)});
  const Number small = d.multiply(z, d.multiply(squared, series)), half = d.add(z, small);
  const Number log_m{b.add(half.high, half.high), b.add(half.low, half.low)};
  constexpr double log2_high = 0x1.62e42fefa38p-1, log2_low = 0x1.ef35793c7673p-45;  // the first has 42 bits
  const Value k = b.cast(power, DType::float64);
  return d.add({b.mul(k, d.of(log2_high)), b.mul(k, d.of(log2_low))}, log_m);
}

}  // namespace

Value factor_of(ir::Builder& b, Value log, Value square) {
  return b.unary(Opcode::sqrt, b.div(b.mul(b.constant(DType::float64, -2), log), square));
}

PolarFactor polar_factor(ir::Builder& b, Value square) {
  const Doubled::Number log = log_of(b, square);
  const Value doubt = b.mul(b.abs(log.high), b.constant(DType::float64, 0x1p-57));
  const Value factor = factor_of(b, b.add(log.high, b.sub(log.low, doubt)), square);
  const Value other = factor_of(b, b.add(log.high, b.add(log.low, doubt)), square);
  return {factor, b.ne(factor, other)};
}

}  // namespace tessera::routines
