/// exp, log and their relatives on complex numbers.
#include <numbers>

#include "tessera/ops/complex_math.h"
#include "tessera/ops/complex_parts.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

/// exp(re) (cos im + i sin im); beyond overflow exp is taken in two factors, since the product may still be finite.
Value complex_exp(Builder& b, Value z) {
  Parts p(b, z);
  Value zero = p.number(0);
  Value limit = p.number(88, 709);
  Value excess = b.select(b.gt(p.re, limit), limit, zero);
  Value size = b.exp(b.sub(p.re, excess)), factor = b.exp(excess);
  Value re = b.mul(b.mul(size, p.unary(Opcode::cos, p.im)), factor);
  Value im = b.mul(b.mul(size, p.unary(Opcode::sin, p.im)), factor);
  Value plain = b.exp(p.re);
  Value straight = p.is_zero(p.im);
  re = b.select(straight, plain, re);
  im = b.select(straight, p.im, im);
  // exp(-inf + i?) is zero and exp(inf + i?) infinite whatever the angle.
  Value no_angle = b.bit_not(p.is_finite(p.im));
  Value vanishes = b.bit_and(b.eq(p.re, b.neg(p.infinity())), no_angle);
  Value explodes = b.bit_and(b.eq(p.re, p.infinity()), no_angle);
  re = b.select(vanishes, zero, b.select(explodes, p.infinity(), re));
  im = b.select(vanishes, p.sign_of(zero, p.im), b.select(explodes, p.nan(), im));
  return b.make_complex(re, im);
}

namespace {

Value scaled(Builder& b, Value z, double factor) {
  Parts p(b, z);
  return b.make_complex(b.mul(p.re, p.number(factor)), b.mul(p.im, p.number(factor)));
}

/// log |z|: near the unit circle through log1p of |z|^2 - 1, which keeps its digits.
Value log_of_size(Builder& b, const Parts& p) {
  Value x = b.abs(p.re), y = b.abs(p.im);
  Value large = b.max(x, y), small = b.min(x, y);
  Value one = p.number(1);
  Value distance = b.add(b.mul(b.sub(large, one), b.add(large, one)), b.mul(small, small));
  Value near = b.mul(p.unary(Opcode::log1p, distance), p.number(0.5));
  // Scaled, so that hypot neither overflows nor loses the digits of subnormals.
  Value huge = b.gt(large, p.number(0x1p126, 0x1p1022)), tiny = b.lt(large, p.number(0x1p-120, 0x1p-1000));
  Value shift = b.select(huge, p.number(-2), b.select(tiny, p.number(64), p.number(0)));
  Value scale = b.select(huge, p.number(0.25), b.select(tiny, p.number(0x1p64), one));
  Value size = b.binary(Opcode::hypot, b.mul(x, scale), b.mul(y, scale));
  Value far = b.sub(b.log(size), b.mul(shift, p.number(std::numbers::ln2)));
  Value close = b.bit_and(b.gt(large, p.number(0.5)), b.lt(large, p.number(1.75)));
  Value result = b.select(b.bit_and(close, b.lt(small, one)), near, far);
  return b.select(b.bit_or(p.is_inf(x), p.is_inf(y)), p.infinity(), result);
}

}  // namespace

Value complex_log(Builder& b, Value z) {
  Parts p(b, z);
  return b.make_complex(log_of_size(b, p), b.binary(Opcode::atan2, p.im, p.re));
}

Value complex_exp2(Builder& b, Value z) { return complex_exp(b, scaled(b, z, std::numbers::ln2)); }
Value complex_log2(Builder& b, Value z) { return scaled(b, complex_log(b, z), std::numbers::log2e); }
Value complex_log10(Builder& b, Value z) { return scaled(b, complex_log(b, z), std::numbers::log10e); }

/// expm1(x) cos(y) - 2 sin(y/2)^2 keeps the digits near zero.
Value complex_expm1(Builder& b, Value z) {
  Parts p(b, z);
  Value half = p.unary(Opcode::sin, b.mul(p.im, p.number(0.5)));
  Value turn = b.mul(b.mul(half, half), p.number(2));
  Value re = b.sub(b.mul(p.unary(Opcode::expm1, p.re), p.unary(Opcode::cos, p.im)), turn);
  Value im = b.mul(b.exp(p.re), p.unary(Opcode::sin, p.im));
  return b.make_complex(re, im);
}

Value complex_log1p(Builder& b, Value z) {
  Parts p(b, z);
  Value shifted = b.add(p.re, p.number(1));
  Value size = b.binary(Opcode::hypot, shifted, p.im);
  return b.make_complex(b.log(size), b.binary(Opcode::atan2, p.im, shifted));
}

}  // namespace tessera::ops
