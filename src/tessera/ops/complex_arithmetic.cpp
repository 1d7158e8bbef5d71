/// Order, sign, reciprocal, square root and power of complex numbers.
#include "tessera/ops/complex_math.h"
#include "tessera/ops/complex_parts.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

Value complex_is_nan(Builder& b, Value z) {
  Parts p(b, z);
  return b.bit_or(p.is_nan(p.re), p.is_nan(p.im));
}

namespace {

/// Lexicographic with `strict` on the real parts and `loose` on the imaginary ones; a NaN imaginary part is in no order.
Value ordered(Builder& b, Value x, Value y, Opcode strict, Opcode loose) {
  Parts p(b, x), q(b, y);
  Value numbers = b.bit_not(b.bit_or(p.is_nan(p.im), p.is_nan(q.im)));
  Value first = b.bit_and(b.compare(strict, p.re, q.re), numbers);
  Value second = b.bit_and(b.eq(p.re, q.re), b.compare(loose, p.im, q.im));
  return b.bit_or(first, second);
}

}  // namespace

Value complex_ge(Builder& b, Value x, Value y) { return ordered(b, x, y, Opcode::gt, Opcode::ge); }
Value complex_le(Builder& b, Value x, Value y) { return ordered(b, x, y, Opcode::lt, Opcode::le); }

Value complex_sign(Builder& b, Value z) {
  Parts p(b, z);
  Value zero = p.number(0), one = p.number(1);
  Value size = b.binary(Opcode::hypot, p.re, p.im);
  Value both = b.bit_and(p.is_inf(p.re), p.is_inf(p.im));
  Value infinite = p.is_inf(size), nothing = p.is_zero(size);
  Value lost = b.bit_or(p.is_nan(p.re), b.bit_or(p.is_nan(p.im), both));
  auto part = [&](Value x) {
    Value scaled = b.select(infinite, b.select(p.is_inf(x), p.sign_of(one, x), zero), b.div(x, size));
    return b.select(lost, p.nan(), b.select(nothing, zero, scaled));
  };
  return b.make_complex(part(p.re), part(p.im));
}

/// Smith's method: scaled by the larger part, so that squares do not overflow.
Value complex_reciprocal(Builder& b, Value z) {
  Parts p(b, z);
  Value wide = b.ge(b.abs(p.re), b.abs(p.im));
  Value large = b.select(wide, p.re, p.im), small = b.select(wide, p.im, p.re);
  Value ratio = b.div(small, large);
  Value scale = b.div(p.number(1), b.add(large, b.mul(small, ratio)));
  Value re = b.select(wide, scale, b.mul(ratio, scale));
  Value im = b.select(wide, b.neg(b.mul(ratio, scale)), b.neg(scale));
  return b.make_complex(re, im);
}

/// t = sqrt((|re| + |z|) / 2) on operands scaled away from overflow and underflow.
Value complex_sqrt(Builder& b, Value z) {
  Parts p(b, z);
  Value zero = p.number(0);
  Value largest = b.binary(Opcode::max_num, b.abs(p.re), b.abs(p.im));
  Value huge = b.ge(largest, p.number(0x1p125, 0x1p1021));
  Value tiny = b.lt(largest, p.number(0x1p-100, 0x1p-960));
  Value scale = b.select(huge, p.number(0x1p-4), b.select(tiny, p.number(0x1p50, 0x1p108), p.number(1)));
  Value unscale = b.select(huge, p.number(4), b.select(tiny, p.number(0x1p-25, 0x1p-54), p.number(1)));
  Value x = b.mul(p.re, scale), y = b.mul(p.im, scale);
  Value t = b.sqrt(b.mul(b.add(b.abs(x), b.binary(Opcode::hypot, x, y)), p.number(0.5)));
  Value other = b.div(b.abs(y), b.add(t, t));
  Value right = b.bit_not(p.unary(Opcode::sign_bit, x));
  Value re = b.mul(b.select(right, t, other), unscale);
  Value im = p.sign_of(b.mul(b.select(right, other, t), unscale), p.im);
  Value both_zero = b.bit_and(p.is_zero(p.re), p.is_zero(p.im));
  re = b.select(both_zero, zero, re);
  im = b.select(both_zero, p.im, im);
  // Infinities: an infinite imaginary part wins over everything, then the real one.
  Value real_infinite = p.is_inf(p.re), imag_nan = p.is_nan(p.im);
  Value flat = b.select(imag_nan, p.im, p.sign_of(zero, p.im));
  re = b.select(real_infinite, b.select(right, p.infinity(), b.select(imag_nan, p.nan(), zero)), re);
  im = b.select(real_infinite, b.select(right, flat, p.sign_of(p.infinity(), p.im)), im);
  re = b.select(p.is_inf(p.im), p.infinity(), re);
  im = b.select(p.is_inf(p.im), p.im, im);
  return b.make_complex(re, im);
}

namespace {

/// z**n for whole |n| < 128 by squaring, n given as a float.
Value small_power(Builder& b, Value z, Value n) {
  DType real_type = b.type(n);
  Value exponent = b.cast(b.min(b.abs(n), b.constant(real_type, 127)), DType::int32);
  Value result = b.make_complex(b.constant(real_type, 1), b.constant(real_type, 0));
  Value square = z;
  for (int bit = 0; bit < 7; ++bit) {
    Value one = b.constant(DType::int32, 1);
    Value mask = b.bit_and(b.binary(Opcode::shift_right, exponent, b.constant(DType::int32, bit)), one);
    result = b.select(b.eq(mask, one), b.mul(result, square), result);
    if (bit < 6) square = b.mul(square, square);
  }
  return b.select(b.lt(n, b.zero_like(n)), complex_reciprocal(b, result), result);
}

}  // namespace

/// NumPy's cases: zero exponents, zero bases, small whole exponents by multiplication, the rest by exp(w log z).
Value complex_power(Builder& b, Value z, Value w) {
  Parts p(b, z), q(b, w);
  Value zero = p.number(0), one = p.number(1);
  Value general = complex_exp(b, b.mul(w, complex_log(b, z)));
  Value whole = b.bit_and(b.eq(q.re, p.unary(Opcode::trunc, q.re)), b.lt(b.abs(q.re), p.number(100)));
  Value result = b.select(b.bit_and(p.is_zero(q.im), whole), small_power(b, z, q.re), general);
  Value base_zero = b.bit_and(p.is_zero(p.re), p.is_zero(p.im));
  Value exponent_zero = b.bit_and(p.is_zero(q.re), p.is_zero(q.im));
  Value growing = b.gt(q.re, zero);
  Value of_zero = b.select(growing, b.make_complex(zero, zero), b.make_complex(p.nan(), p.nan()));
  result = b.select(base_zero, of_zero, result);
  return b.select(exponent_zero, b.make_complex(one, zero), result);
}

}  // namespace tessera::ops
