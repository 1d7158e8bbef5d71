#include "tessera/base/error.h"
#include "tessera/ir/builder_expand.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

struct Complex {
  Value re, im;
};

Complex parts(Builder& b, Value x) { return {b.real(x), b.imag(x)}; }
Value is_nan(Builder& b, Value x) { return b.unary(Opcode::is_nan, x); }
Value any_nan(Builder& b, Complex x) { return b.bit_or(is_nan(b, x.re), is_nan(b, x.im)); }
Value both(Builder& b, Opcode op, Complex x, Opcode join) {
  return b.binary(join, b.unary(op, x.re), b.unary(op, x.im));
}

// Smith's method as in NumPy: scaled by the larger part of the divisor; division by zero divides by its magnitudes.
Value divide(Builder& b, Complex x, Complex y) {
  const Value abs_re = b.abs(y.re);
  const Value abs_im = b.abs(y.im);
  const Value by_real = b.ge(abs_re, abs_im);
  const Value large = b.select(by_real, y.re, y.im);
  const Value small = b.select(by_real, y.im, y.re);
  const Value ratio = b.div(small, large);
  const Value scale = b.div(b.one_like(large), b.add(large, b.mul(small, ratio)));
  // If the real part is larger: (a + b r, b - a r); if the imaginary part is: (a r + b, b r - a).
  const Value first_re = b.select(by_real, x.re, b.mul(x.re, ratio));
  const Value second_re = b.select(by_real, b.mul(x.im, ratio), x.im);
  const Value first_im = b.select(by_real, x.im, b.mul(x.im, ratio));
  const Value second_im = b.select(by_real, b.mul(x.re, ratio), x.re);
  const Value zero = b.zero_like(abs_re);
  const Value is_zero = b.bit_and(b.eq(abs_re, zero), b.eq(abs_im, zero));
  const Value re = b.select(is_zero, b.div(x.re, abs_re), b.mul(b.add(first_re, second_re), scale));
  const Value im = b.select(is_zero, b.div(x.im, abs_re), b.mul(b.sub(first_im, second_im), scale));
  return b.make_complex(re, im);
}

Value multiply(Builder& b, Complex x, Complex y) {
  return b.make_complex(b.sub(b.mul(x.re, y.re), b.mul(x.im, y.im)), b.add(b.mul(x.re, y.im), b.mul(x.im, y.re)));
}

// NumPy's lexicographic order: real parts decide unless they are equal; a NaN in any compared part gives false.
Value ordered(Builder& b, Opcode strict, Opcode last, Complex x, Complex y) {
  const Value decided = b.bit_and(b.compare(strict, x.re, y.re), b.bit_not(b.bit_or(is_nan(b, x.im), is_nan(b, y.im))));
  return b.bit_or(decided, b.bit_and(b.eq(x.re, y.re), b.compare(last, x.im, y.im)));
}

Value pick(Builder& b, Value condition, Complex x, Complex y) {
  return b.make_complex(b.select(condition, x.re, y.re), b.select(condition, x.im, y.im));
}

// Minimum and maximum take the first NaN (the _num variants the first non-NaN), else by order; the first one wins ties.
Value extreme(Builder& b, Opcode op, Complex x, Complex y) {
  const bool largest = op == Opcode::max || op == Opcode::max_num;
  const bool skip_nan = op == Opcode::min_num || op == Opcode::max_num;
  const Value wins = largest ? ordered(b, Opcode::gt, Opcode::ge, x, y) : ordered(b, Opcode::lt, Opcode::le, x, y);
  return pick(b, b.bit_or(wins, any_nan(b, skip_nan ? y : x)), x, y);
}

// The unit vector in the direction of x; 0 at 0, NaN at NaN.
Value complex_sign(Builder& b, Value x) {
  const Complex p = parts(b, x);
  const Value magnitude = b.binary(Opcode::hypot, p.re, p.im);
  const Value zero = b.zero_like(magnitude);
  const Value is_zero = b.eq(magnitude, zero);
  const Value is_infinite = b.unary(Opcode::is_inf, magnitude);
  // NumPy: if one part is infinite, it gives its own sign; if both are, the result is NaN.
  const Value both_infinite = both(b, Opcode::is_inf, p, Opcode::bit_and);
  const Value nan = b.constant(b.type(magnitude), __builtin_nan(""));
  const auto component = [&](Value part) {
    const Value along = b.select(b.unary(Opcode::is_inf, part), b.unary(Opcode::sign, part), zero);
    const Value at_infinity = b.select(both_infinite, nan, along);
    return b.select(is_zero, zero, b.select(is_infinite, at_infinity, b.div(part, magnitude)));
  };
  return b.make_complex(component(p.re), component(p.im));
}

}  // namespace

Value complex_compare(Builder& b, Opcode op, Value x, Value y) {
  const Complex p = parts(b, x);
  const Complex q = parts(b, y);
  switch (op) {
    case Opcode::eq: return b.bit_and(b.eq(p.re, q.re), b.eq(p.im, q.im));
    case Opcode::ne: return b.bit_or(b.ne(p.re, q.re), b.ne(p.im, q.im));
    case Opcode::lt: return ordered(b, Opcode::lt, Opcode::lt, p, q);
    case Opcode::le: return ordered(b, Opcode::lt, Opcode::le, p, q);
    case Opcode::gt: return ordered(b, Opcode::gt, Opcode::gt, p, q);
    case Opcode::ge: return ordered(b, Opcode::gt, Opcode::ge, p, q);
    default: invariant(false, "ir: compare by {}", name(op));
  }
  return no_value;
}

Value complex_binary(Builder& b, Opcode op, Value x, Value y) {
  const Complex p = parts(b, x);
  const Complex q = parts(b, y);
  switch (op) {
    case Opcode::add: return b.make_complex(b.add(p.re, q.re), b.add(p.im, q.im));
    case Opcode::sub: return b.make_complex(b.sub(p.re, q.re), b.sub(p.im, q.im));
    case Opcode::mul: return multiply(b, p, q);
    case Opcode::div: return divide(b, p, q);
    case Opcode::pow: return complex_power(b, x, y);
    case Opcode::min:
    case Opcode::max:
    case Opcode::min_num:
    case Opcode::max_num: return extreme(b, op, p, q);
    default: invariant(false, "ir: {} of {}", name(op), b.type(x));
  }
  return no_value;
}

Value complex_unary(Builder& b, Opcode op, Value x) {
  const Complex p = parts(b, x);
  switch (op) {
    case Opcode::neg:
    case Opcode::rint: return b.make_complex(b.unary(op, p.re), b.unary(op, p.im));
    case Opcode::abs: return b.binary(Opcode::hypot, p.re, p.im);
    case Opcode::sign: return complex_sign(b, x);
    case Opcode::is_nan:
    case Opcode::is_inf: return both(b, op, p, Opcode::bit_or);
    case Opcode::is_finite: return both(b, op, p, Opcode::bit_and);
    default: return complex_function(b, op, x);
  }
}

}  // namespace tessera::ir
