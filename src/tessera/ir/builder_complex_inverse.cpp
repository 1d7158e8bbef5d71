#include <numbers>

#include "tessera/ir/builder_expand.h"

namespace tessera::ir {

namespace {

Value is(Builder& b, double value, Value v) { return b.eq(v, b.constant(b.type(v), value)); }
Value is_inf(Builder& b, Value v) { return b.unary(Opcode::is_inf, v); }
Value not_a_number(Builder& b, Value v) { return b.unary(Opcode::is_nan, v); }
Value copysign(Builder& b, Value magnitude, Value sign) { return b.binary(Opcode::copysign, magnitude, sign); }

// The direction of an infinite argument: infinite parts become 1, the others 0, with their signs.
Value direction(Builder& b, Value v) { return copysign(b, b.select(is_inf(b, v), b.one_like(v), b.zero_like(v)), v); }

}  // namespace

Value complex_sqrt(Builder& b, Value z) {
  const Value x = b.real(z);
  const Value y = b.imag(z);
  const bool wide = b.type(x) == DType::float64;
  const Value zero = b.zero_like(x);
  // Powers of four keep the magnitude in range; the root is scaled back by their square root.
  const Value size = b.max(b.abs(x), b.abs(y));
  const Value large = b.gt(size, b.constant(b.type(x), wide ? 0x1p1020 : 0x1p120));
  const Value small = b.lt(size, b.constant(b.type(x), wide ? 0x1p-960 : 0x1p-80));
  const auto choose = [&](double if_large, double if_small) {
    return b.select(large, b.constant(b.type(x), if_large),
                    b.select(small, b.constant(b.type(x), if_small), b.one_like(x)));
  };
  const Value scale = choose(0x1p-4, wide ? 0x1p108 : 0x1p48);
  const Value back = choose(0x1p2, wide ? 0x1p-54 : 0x1p-24);
  const Value sx = b.mul(x, scale);
  const Value sy = b.mul(y, scale);
  const Value half = b.constant(b.type(x), 0.5);
  const Value t = b.sqrt(b.mul(b.add(b.abs(sx), b.binary(Opcode::hypot, sx, sy)), half));
  const Value other = b.div(b.abs(sy), b.add(t, t));
  const Value right = b.ge(x, zero);
  Value re = b.mul(b.select(right, t, other), back);
  Value im = copysign(b, b.mul(b.select(right, other, t), back), y);

  const Value at_zero = b.bit_and(is(b, 0, x), is(b, 0, y));
  re = b.select(at_zero, zero, re);
  im = b.select(at_zero, y, im);
  const Value x_inf = is_inf(b, x);
  const Value negative = b.lt(x, zero);
  const Value gone = b.sub(y, y);
  re = b.select(x_inf, b.select(negative, b.abs(gone), x), re);
  im = b.select(x_inf, b.select(negative, copysign(b, b.abs(x), y), copysign(b, gone, y)), im);
  const Value y_inf = is_inf(b, y);
  re = b.select(y_inf, b.abs(y), re);
  im = b.select(y_inf, y, im);
  return b.make_complex(re, im);
}

// Kahan's formulas: the two roots keep branch points and cuts exact.
Value complex_asin(Builder& b, Value z) {
  const Value x = b.real(z);
  const Value y = b.imag(z);
  const Value one = b.one_like(x);
  const Value p = complex_sqrt(b, b.make_complex(b.sub(one, x), b.neg(y)));
  const Value q = complex_sqrt(b, b.make_complex(b.add(one, x), y));
  const Value product = b.sub(b.mul(b.real(p), b.real(q)), b.mul(b.imag(p), b.imag(q)));
  const Value cross = b.sub(b.mul(b.real(p), b.imag(q)), b.mul(b.imag(p), b.real(q)));
  Value re = b.binary(Opcode::atan2, x, product);
  Value im = copysign(b, b.abs(b.unary(Opcode::asinh, cross)), y);
  const Value infinite = b.bit_or(is_inf(b, x), is_inf(b, y));
  const Value any_nan = b.bit_or(not_a_number(b, x), not_a_number(b, y));
  const Value nan = b.constant(b.type(x), __builtin_nan(""));
  const Value far_re = b.binary(Opcode::atan2, direction(b, x), b.abs(direction(b, y)));
  re = b.select(infinite, b.select(any_nan, nan, far_re), re);
  im = b.select(infinite, copysign(b, b.constant(b.type(x), __builtin_inf()), y), im);
  re = b.select(b.bit_and(is(b, 0, x), b.bit_not(infinite)), x, re);
  // asin(NaN + i inf) is NaN + i inf, asin(0 + i NaN) keeps its zero.
  return b.make_complex(re, im);
}

Value complex_acos(Builder& b, Value z) {
  const Value x = b.real(z);
  const Value y = b.imag(z);
  const Value one = b.one_like(x);
  const Value p = complex_sqrt(b, b.make_complex(b.sub(one, x), b.neg(y)));
  const Value q = complex_sqrt(b, b.make_complex(b.add(one, x), y));
  const Value cross = b.sub(b.mul(b.real(q), b.imag(p)), b.mul(b.imag(q), b.real(p)));
  Value re = b.mul(b.constant(b.type(x), 2), b.binary(Opcode::atan2, b.real(p), b.real(q)));
  Value im = copysign(b, b.abs(b.unary(Opcode::asinh, cross)), b.neg(y));
  const Value infinite = b.bit_or(is_inf(b, x), is_inf(b, y));
  const Value any_nan = b.bit_or(not_a_number(b, x), not_a_number(b, y));
  const Value nan = b.constant(b.type(x), __builtin_nan(""));
  const Value far_re = b.binary(Opcode::atan2, b.abs(direction(b, y)), direction(b, x));
  re = b.select(infinite, b.select(any_nan, nan, far_re), re);
  im = b.select(infinite, copysign(b, b.constant(b.type(x), __builtin_inf()), b.neg(y)), im);
  const Value halfway = b.constant(b.type(x), std::numbers::pi / 2);
  re = b.select(b.bit_and(is(b, 0, x), not_a_number(b, y)), halfway, re);
  return b.make_complex(re, im);
}

Value complex_atanh(Builder& b, Value z) {
  const Value x = b.real(z);
  const Value y = b.imag(z);
  const DType t = b.type(x);
  const auto number = [&](double v) { return b.constant(t, v); };
  const Value one = number(1);
  const Value below = b.sub(one, x);
  const Value above = b.add(one, x);
  const Value yy = b.mul(y, y);
  // log1p(4x / ((1-x)^2 + y^2)) / 4, on the side where the quotient is not negative.
  const Value near_side = b.sub(one, b.abs(x));
  const Value quotient = b.div(b.mul(number(4), b.abs(x)), b.add(b.mul(near_side, near_side), yy));
  Value re = copysign(b, b.mul(number(0.25), b.unary(Opcode::log1p, quotient)), x);
  Value im = b.mul(number(0.5), b.binary(Opcode::atan2, b.mul(number(2), y), b.sub(b.mul(below, above), yy)));
  // Near the poles the square of y underflows: |1 - z| is |y|.
  const Value at_pole =
      b.bit_and(is(b, 0, near_side), b.lt(b.abs(y), number(t == DType::float64 ? 0x1p-500 : 0x1p-60)));
  const Value pole = b.mul(number(0.5), b.sub(number(std::numbers::ln2), b.log(b.abs(y))));
  re = b.select(at_pole, copysign(b, pole, x), re);
  const Value size = b.max(b.abs(x), b.abs(y));
  const Value far = b.gt(size, number(t == DType::float64 ? 0x1p60 : 0x1p30));
  const Value h = b.binary(Opcode::hypot, x, y);
  Value far_re = b.div(b.div(x, h), h);
  const Value infinite = b.bit_or(is_inf(b, x), is_inf(b, y));
  far_re = b.select(infinite, copysign(b, b.zero_like(x), x), far_re);
  const Value use_far = b.bit_or(far, infinite);
  re = b.select(use_far, far_re, re);
  const Value side = copysign(b, number(std::numbers::pi / 2), y);
  im = b.select(use_far, b.select(not_a_number(b, y), y, side), im);
  re = b.select(is(b, 0, x), x, re);
  return b.make_complex(re, im);
}

namespace {

Value product(Builder& b, Value x, Value y) { return b.mul(x, y); }

// NumPy's repeated squaring for whole exponents below 100, in its order of operations.
Value integer_power(Builder& b, Value x, Value n) {
  const DType t = b.type(x);
  Value result = b.constant(Scalar::of_complex(t, {1, 0}));
  Value factor = x;
  for (int bit = 0; bit < 7; ++bit) {
    const Value mask = b.constant(Scalar::of_int(DType::int64, int64_t{1} << bit));
    const Value wanted = b.ne(b.bit_and(n, mask), b.zero_like(n));
    result = b.select(wanted, product(b, result, factor), result);
    if (bit < 6) factor = product(b, factor, factor);
  }
  return result;
}

}  // namespace

Value complex_power(Builder& b, Value x, Value y) {
  const Value exponent = b.real(y);
  const DType real_type = b.type(exponent);
  const Value zero = b.zero_like(exponent);
  const Value is_real = b.eq(b.imag(y), zero);
  const Value one = b.constant(Scalar::of_complex(b.type(x), {1, 0}));
  const Value n = b.cast(exponent, DType::int64);
  const Value whole = b.bit_and(is_real, b.eq(b.cast(n, real_type), exponent));
  const Value few = b.bit_and(whole, b.lt(b.abs(exponent), b.constant(real_type, 100)));

  const Value general = complex_function(b, Opcode::exp, b.mul(y, complex_function(b, Opcode::log, x)));
  const Value power = integer_power(b, x, b.abs(n));
  const Value repeated = b.select(b.lt(exponent, zero), b.div(one, power), power);
  const auto equals = [&](double value) { return b.bit_and(is_real, is(b, value, exponent)); };
  Value result = b.select(few, repeated, general);
  const Value square = b.mul(x, x);
  result = b.select(equals(3), b.mul(x, square), result);
  result = b.select(equals(2), square, result);
  result = b.select(equals(1), x, result);

  const Value base_zero = b.bit_and(is(b, 0, b.real(x)), is(b, 0, b.imag(x)));
  const Value nan = b.constant(Scalar::of_complex(b.type(x), {__builtin_nan(""), __builtin_nan("")}));
  const Value of_zero = b.select(b.gt(exponent, zero), b.constant(b.type(x), 0), nan);
  result = b.select(base_zero, of_zero, result);
  return b.select(equals(0), one, result);
}

}  // namespace tessera::ir
