/// Inverse circular and hyperbolic functions of complex numbers, by the method of Hull, Fairgrieve and Tang.
#include <numbers>

#include "tessera/ops/complex_math.h"
#include "tessera/ops/complex_parts.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

/// asin and acos of x + iy in the first quadrant: both real parts, and the imaginary part they share.
struct Quadrant {
  Value asin, acos, imag;
};

Quadrant first_quadrant(Builder& b, const Parts& p, Value x, Value y) {
  Value zero = p.number(0), one = p.number(1), half = p.number(0.5);
  Value x1 = b.add(x, one), xm = b.sub(x, one), ym2 = b.mul(y, y);
  Value r = b.binary(Opcode::hypot, x1, y), s = b.binary(Opcode::hypot, xm, y);
  Value a = b.mul(half, b.add(r, s));
  Value ratio = b.div(x, a);
  Value apx = b.add(a, x);
  Value inside = b.le(x, one);
  Value r1 = b.add(r, x1);
  Value s_in = b.add(s, b.neg(xm)), s_out = b.add(s, xm);

  // The legs of the triangle whose angle is the result, kept apart to avoid cancellation.
  Value leg_in = b.sqrt(b.mul(b.mul(half, apx), b.add(b.div(ym2, r1), s_in)));
  Value leg_out = b.mul(y, b.sqrt(b.mul(half, b.add(b.div(apx, r1), b.div(apx, s_out)))));
  Value leg = b.select(inside, leg_in, leg_out);
  Value steady = b.le(ratio, p.number(0.6417));
  Quadrant q;
  q.asin = b.select(steady, p.unary(Opcode::asin, ratio), b.binary(Opcode::atan2, x, leg));
  q.acos = b.select(steady, p.unary(Opcode::acos, ratio), b.binary(Opcode::atan2, leg, x));

  Value rest = b.select(b.lt(x, one), b.div(ym2, s_in), s_out);
  Value am1 = b.mul(half, b.add(b.div(ym2, r1), rest));
  Value near = p.unary(Opcode::log1p, b.add(am1, b.sqrt(b.mul(am1, b.add(a, one)))));
  Value far = b.log(b.add(a, b.sqrt(b.sub(b.mul(a, a), one))));
  q.imag = b.select(b.le(a, p.number(1.5)), near, far);

  // y^2 underflows: the first terms of the series in y.
  Value low = b.lt(y, p.number(0x1p-60, 0x1p-500));
  Value root = b.sqrt(b.abs(b.mul(xm, x1)));
  Value on_edge = b.eq(x, one);
  Value low_imag = b.select(on_edge, b.sqrt(y), b.select(inside, b.div(y, root), p.unary(Opcode::log1p, b.add(xm, root))));
  Value low_acos = b.select(on_edge, b.sqrt(y), b.select(inside, p.unary(Opcode::acos, b.min(x, one)), b.div(y, root)));
  Value low_asin = b.select(inside, p.unary(Opcode::asin, b.min(x, one)), p.number(std::numbers::pi / 2));
  q.asin = b.select(low, low_asin, q.asin);
  q.acos = b.select(low, low_acos, q.acos);
  q.imag = b.select(low, low_imag, q.imag);

  // Squares overflow: only size and angle matter.
  Value large = b.gt(b.max(x, y), p.number(0x1p60, 0x1p500));
  Value size = b.real(complex_log(b, b.make_complex(x, y)));
  q.asin = b.select(large, b.binary(Opcode::atan2, x, y), q.asin);
  q.acos = b.select(large, b.binary(Opcode::atan2, y, x), q.acos);
  q.imag = b.select(large, b.add(size, p.number(std::numbers::ln2)), q.imag);

  // One NaN part: only an infinite or zero other part leaves something known.
  Value nan_x = p.is_nan(x), nan_y = p.is_nan(y), nan = b.bit_or(nan_x, nan_y);
  Value infinite = b.bit_or(p.is_inf(x), p.is_inf(y));
  Value known = b.bit_and(nan_y, p.is_zero(x));
  q.asin = b.select(nan, b.select(known, zero, p.nan()), q.asin);
  q.acos = b.select(nan, b.select(known, p.number(std::numbers::pi / 2), p.nan()), q.acos);
  q.imag = b.select(nan, b.select(infinite, p.infinity(), p.nan()), q.imag);
  return q;
}

}  // namespace

Value complex_asin(Builder& b, Value z) {
  Parts p(b, z);
  Quadrant q = first_quadrant(b, p, b.abs(p.re), b.abs(p.im));
  return b.make_complex(p.sign_of(q.asin, p.re), p.sign_of(q.imag, p.im));
}

Value complex_acos(Builder& b, Value z) {
  Parts p(b, z);
  Quadrant q = first_quadrant(b, p, b.abs(p.re), b.abs(p.im));
  Value left = p.unary(Opcode::sign_bit, p.re);
  Value re = b.select(left, b.sub(p.number(std::numbers::pi), q.acos), q.acos);
  return b.make_complex(re, b.neg(p.sign_of(q.imag, p.im)));
}

Value complex_asinh(Builder& b, Value z) {
  Parts p(b, z);
  Quadrant q = first_quadrant(b, p, b.abs(p.im), b.abs(p.re));
  return b.make_complex(p.sign_of(q.imag, p.re), p.sign_of(q.asin, p.im));
}

Value complex_acosh(Builder& b, Value z) {
  Value w = complex_acos(b, z);
  Parts p(b, z), q(b, w);
  // acos gives the angle in [0, pi] as its real part and the size as its imaginary part.
  Value re = b.abs(q.im);
  Value im = p.sign_of(q.re, p.im);
  return b.make_complex(re, im);
}

Value complex_atanh(Builder& b, Value z) {
  Parts p(b, z);
  Value one = p.number(1), zero = p.number(0), quarter_turn = p.number(std::numbers::pi / 2);
  Value x = b.abs(p.re), y = b.abs(p.im);
  Value xm = b.sub(one, x);
  Value y2 = b.mul(y, y);
  Value near = b.mul(p.unary(Opcode::log1p, b.div(b.mul(p.number(4), x), b.add(b.mul(xm, xm), y2))), p.number(0.25));
  Value angle = b.binary(Opcode::atan2, b.mul(p.number(2), y), b.sub(b.mul(xm, b.add(one, x)), y2));
  Value re = near, im = b.mul(angle, p.number(0.5));
  // At z = 1 and next to it the squares vanish: |1 - z| is y alone.
  Value at_pole = b.bit_and(p.is_zero(xm), b.lt(y, p.number(0x1p-60, 0x1p-500)));
  re = b.select(at_pole, b.mul(p.number(0.5), b.sub(p.number(std::numbers::ln2), b.log(y))), re);
  // Far out: re(z) / |z|^2 in two divisions, since |z|^2 overflows.
  Value large = b.gt(b.max(x, y), p.number(0x1p60, 0x1p500));
  Value size = b.binary(Opcode::hypot, b.mul(x, p.number(0.5)), b.mul(y, p.number(0.5)));
  Value far = b.mul(b.div(b.div(x, size), size), p.number(0.25));
  Value infinite = b.bit_or(p.is_inf(x), p.is_inf(y));
  re = b.select(large, b.select(infinite, zero, far), re);
  im = b.select(large, quarter_turn, im);
  Value nan_x = p.is_nan(x), nan_y = p.is_nan(y);
  re = b.select(nan_x, b.select(p.is_inf(y), zero, p.nan()), re);
  im = b.select(nan_x, b.select(p.is_inf(y), quarter_turn, p.nan()), im);
  re = b.select(nan_y, b.select(b.bit_or(p.is_inf(x), p.is_zero(x)), zero, p.nan()), re);
  im = b.select(nan_y, p.nan(), im);
  return b.make_complex(p.sign_of(re, p.re), p.sign_of(im, p.im));
}

Value complex_atan(Builder& b, Value z) {
  Parts p(b, z);
  Value w = complex_atanh(b, b.make_complex(b.neg(p.im), p.re));
  return b.make_complex(b.imag(w), b.neg(b.real(w)));
}

}  // namespace tessera::ops
