/// sinh, cosh, tanh and through them sin, cos, tan of complex numbers.
#include "tessera/ops/complex_math.h"
#include "tessera/ops/complex_parts.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

/// i z and -i z.
Value turn_left(Builder& b, Value z) { return b.make_complex(b.neg(b.imag(z)), b.real(z)); }
Value turn_right(Builder& b, Value z) { return b.make_complex(b.imag(z), b.neg(b.real(z))); }

/// hyperbolic * circular, where hyperbolic may overflow although the product does not.
Value product(Builder& b, const Parts& p, Value hyperbolic, Value half_exponential, Value circular) {
  Value far = b.bit_and(p.is_inf(hyperbolic), p.is_finite(p.re));
  Value split = b.mul(b.mul(b.mul(p.number(0.5), half_exponential), circular), half_exponential);
  return b.select(far, split, b.mul(hyperbolic, circular));
}

}  // namespace

Value complex_sinh(Builder& b, Value z) {
  Parts p(b, z);
  Value half = b.exp(b.mul(b.abs(p.re), p.number(0.5)));
  Value sign = p.sign_of(p.number(1), p.re);
  Value re = b.mul(product(b, p, b.abs(p.unary(Opcode::sinh, p.re)), half, p.unary(Opcode::cos, p.im)), sign);
  Value im = product(b, p, p.unary(Opcode::cosh, p.re), half, p.unary(Opcode::sin, p.im));
  re = b.select(p.is_zero(p.re), p.re, re);
  im = b.select(p.is_zero(p.im), p.im, im);
  Value lost = b.bit_and(p.is_inf(p.re), b.bit_not(p.is_finite(p.im)));
  re = b.select(lost, p.re, re);
  im = b.select(lost, p.nan(), im);
  return b.make_complex(re, im);
}

Value complex_cosh(Builder& b, Value z) {
  Parts p(b, z);
  Value half = b.exp(b.mul(b.abs(p.re), p.number(0.5)));
  Value re = product(b, p, p.unary(Opcode::cosh, p.re), half, p.unary(Opcode::cos, p.im));
  Value sign = p.sign_of(p.number(1), p.re);
  Value im = b.mul(product(b, p, b.abs(p.unary(Opcode::sinh, p.re)), half, p.unary(Opcode::sin, p.im)), sign);
  Value flat = b.bit_or(p.is_zero(p.re), p.is_zero(p.im));
  im = b.select(flat, b.mul(p.sign_of(p.number(0), p.re), p.sign_of(p.number(1), p.im)), im);
  Value lost = b.bit_and(p.is_inf(p.re), b.bit_not(p.is_finite(p.im)));
  re = b.select(lost, p.infinity(), re);
  im = b.select(lost, p.nan(), im);
  return b.make_complex(re, im);
}

/// Kahan's form, which neither cancels nor overflows.
Value complex_tanh(Builder& b, Value z) {
  Parts p(b, z);
  Value zero = p.number(0), one = p.number(1);
  Value t = p.unary(Opcode::tan, p.im);
  Value beta = b.add(one, b.mul(t, t));
  Value s = p.unary(Opcode::sinh, p.re);
  Value rho = b.sqrt(b.add(one, b.mul(s, s)));
  Value denominator = b.add(one, b.mul(b.mul(beta, s), s));
  Value steep = p.is_inf(t);
  Value re = b.select(steep, b.div(rho, s), b.div(b.mul(b.mul(beta, rho), s), denominator));
  Value im = b.select(steep, b.div(one, t), b.div(t, denominator));
  Value far = b.ge(b.abs(p.re), p.number(11, 22));
  Value decay = b.exp(b.neg(b.abs(p.re)));
  Value angle = b.mul(p.unary(Opcode::sin, p.im), p.unary(Opcode::cos, p.im));
  Value far_im = b.mul(b.mul(b.mul(p.number(4), angle), decay), decay);
  far_im = b.select(p.is_finite(p.im), far_im, p.sign_of(zero, p.im));
  re = b.select(far, p.sign_of(one, p.re), re);
  im = b.select(far, far_im, im);
  im = b.select(p.is_zero(p.im), p.im, im);
  re = b.select(b.bit_and(p.is_zero(p.re), b.bit_not(p.is_finite(p.im))), p.re, re);
  return b.make_complex(re, im);
}

Value complex_sin(Builder& b, Value z) { return turn_right(b, complex_sinh(b, turn_left(b, z))); }
Value complex_cos(Builder& b, Value z) { return complex_cosh(b, turn_left(b, z)); }
Value complex_tan(Builder& b, Value z) { return turn_right(b, complex_tanh(b, turn_left(b, z))); }

}  // namespace tessera::ops
