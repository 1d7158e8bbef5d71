#include <numbers>

#include "tessera/base/error.h"
#include "tessera/ir/builder_expand.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

/// A complex operand with short names for the operations of the formulas below.
class Formula {
 public:
  Formula(Builder& b, Value z) : b(b), x(b.real(z)), y(b.imag(z)), type(b.type(x)) {}

  Value number(double value) { return b.constant(type, value); }
  Value is(double value, Value v) { return b.eq(v, number(value)); }
  Value is_inf(Value v) { return b.unary(Opcode::is_inf, v); }
  Value not_finite(Value v) { return b.bit_not(b.unary(Opcode::is_finite, v)); }
  Value copysign(Value magnitude, Value sign) { return b.binary(Opcode::copysign, magnitude, sign); }
  /// Zero with the sign of v. The sign of a NaN is not defined, so NaN counts as positive.
  Value signed_zero(Value v) { return copysign(number(0), b.select(b.unary(Opcode::is_nan, v), number(0), v)); }
  Value pack(Value re, Value im) { return b.make_complex(re, im); }
  double narrow(double for_double, double for_float) { return type == DType::float64 ? for_double : for_float; }

  Builder& b;
  Value x, y;
  DType type;
};

// e^x in two factors, so that e^x * cos(y) overflows only when the product does.
struct ScaledExp {
  Value factor, scale;
};

ScaledExp scaled_exp(Formula& f, Value x) {
  const double limit = f.narrow(700, 85);
  const Value large = f.b.gt(x, f.number(limit));
  const Value shift = f.b.select(large, f.number(limit), f.number(0));
  return {f.b.exp(f.b.sub(x, shift)), f.b.select(large, f.b.exp(f.number(limit)), f.number(1))};
}

Value scaled_product(Formula& f, ScaledExp e, Value v) { return f.b.mul(f.b.mul(e.factor, v), e.scale); }

Value complex_exp(Builder& b, Value z) {
  Formula f(b, z);
  const ScaledExp e = scaled_exp(f, f.x);
  Value re = scaled_product(f, e, b.unary(Opcode::cos, f.y));
  Value im = scaled_product(f, e, b.unary(Opcode::sin, f.y));
  const Value wild = f.not_finite(f.y);
  const Value vanishes = b.bit_and(f.is(-__builtin_inf(), f.x), wild);
  re = b.select(vanishes, f.number(0), b.select(b.bit_and(f.is(__builtin_inf(), f.x), wild), f.x, re));
  im = b.select(vanishes, f.signed_zero(f.y), im);
  const Value on_axis = f.is(0, f.y);
  return f.pack(b.select(on_axis, b.exp(f.x), re), b.select(on_axis, f.y, im));
}

// cosh and sinh of x; beyond the range of exp both are half of e^|x|, kept in two factors.
struct Hyperbolic {
  Value cosh, sinh, scale;
};

Hyperbolic hyperbolic(Formula& f) {
  Builder& b = f.b;
  const Value size = b.abs(f.x);
  const Value large = b.gt(size, f.number(f.narrow(700, 85)));
  const ScaledExp e = scaled_exp(f, size);
  const Value half = b.mul(e.factor, f.number(0.5));
  return {b.select(large, half, b.unary(Opcode::cosh, f.x)),
          b.select(large, f.copysign(half, f.x), b.unary(Opcode::sinh, f.x)), b.select(large, e.scale, f.number(1))};
}

Value complex_sinh(Builder& b, Value z) {
  Formula f(b, z);
  const Hyperbolic h = hyperbolic(f);
  Value re = b.mul(b.mul(h.sinh, b.unary(Opcode::cos, f.y)), h.scale);
  const Value im = b.mul(b.mul(h.cosh, b.unary(Opcode::sin, f.y)), h.scale);
  re = b.select(b.bit_and(f.is_inf(f.x), f.not_finite(f.y)), f.x, re);
  re = b.select(b.bit_and(f.is(0, f.x), f.not_finite(f.y)), f.x, re);
  const Value on_axis = f.is(0, f.y);
  return f.pack(b.select(on_axis, b.unary(Opcode::sinh, f.x), re), b.select(on_axis, f.y, im));
}

Value complex_cosh(Builder& b, Value z) {
  Formula f(b, z);
  const Hyperbolic h = hyperbolic(f);
  Value re = b.mul(b.mul(h.cosh, b.unary(Opcode::cos, f.y)), h.scale);
  Value im = b.mul(b.mul(h.sinh, b.unary(Opcode::sin, f.y)), h.scale);
  re = b.select(b.bit_and(f.is_inf(f.x), f.not_finite(f.y)), b.abs(f.x), re);
  const Value on_axis = f.is(0, f.y);
  const Value zero = b.mul(f.copysign(f.number(0), f.x), f.copysign(f.number(1), f.y));
  im = b.select(b.bit_or(b.bit_and(f.is(0, f.x), f.not_finite(f.y)), on_axis), zero, im);
  return f.pack(b.select(on_axis, b.unary(Opcode::cosh, f.x), re), im);
}

// Kahan's form; past |x| = 22 (11) tanh x is 1 to the last bit, and the imaginary part decays as e^-2|x|.
Value complex_tanh(Builder& b, Value z) {
  Formula f(b, z);
  const Value one = f.number(1);
  const Value tangent = b.unary(Opcode::tan, f.y);
  const Value beta = b.add(one, b.mul(tangent, tangent));
  const Value size = b.abs(f.x);
  const Value large = b.gt(size, f.number(f.narrow(22, 11)));
  const Value s = b.unary(Opcode::sinh, b.select(large, one, f.x));
  const Value rho = b.sqrt(b.add(one, b.mul(s, s)));
  const Value denominator = b.add(one, b.mul(beta, b.mul(s, s)));
  const Value decay = b.exp(b.mul(f.number(-2), size));
  const Value sine_cosine = b.mul(b.unary(Opcode::sin, f.y), b.unary(Opcode::cos, f.y));
  Value far_im = b.mul(b.mul(f.number(4), sine_cosine), decay);
  far_im = b.select(b.bit_and(f.is_inf(f.x), f.not_finite(f.y)), f.signed_zero(f.y), far_im);
  const Value near_re = b.div(b.mul(beta, b.mul(rho, s)), denominator);
  Value re = b.select(large, f.copysign(one, f.x), near_re);
  // A finite nonzero real part with an angle that has no sine gives NaN in both parts.
  const Value undefined = b.bit_and(b.unary(Opcode::is_finite, f.x), f.not_finite(f.y));
  re = b.select(undefined, f.number(__builtin_nan("")), re);
  re = b.select(f.is(0, f.x), f.x, re);
  const Value im = b.select(large, far_im, b.div(tangent, denominator));
  const Value on_axis = f.is(0, f.y);
  return f.pack(b.select(on_axis, b.unary(Opcode::tanh, f.x), re), b.select(on_axis, f.y, im));
}

Value times_i(Builder& b, Value z) { return b.make_complex(b.neg(b.imag(z)), b.real(z)); }
Value times_minus_i(Builder& b, Value z) { return b.make_complex(b.imag(z), b.neg(b.real(z))); }

// log|z|: near the unit circle from |z|^2 - 1 in doubled precision, else by hypot with scaling.
Value log_magnitude(Formula& f) {
  Builder& b = f.b;
  const Value ax = b.max(b.abs(f.x), b.abs(f.y));
  const Value ay = b.min(b.abs(f.x), b.abs(f.y));
  const Value high = b.gt(ax, f.number(f.narrow(0x1p1020, 0x1p120)));
  const Value low = b.lt(ax, f.number(f.narrow(0x1p-960, 0x1p-90)));
  const double up = f.narrow(0x1p120, 0x1p60);
  const Value scale = b.select(high, f.number(1 / up), b.select(low, f.number(up), f.number(1)));
  const double step = f.narrow(120, 60) * std::numbers::ln2;
  const Value offset = b.select(high, f.number(step), b.select(low, f.number(-step), f.number(0)));
  const Value far = b.add(b.log(b.binary(Opcode::hypot, b.mul(f.x, scale), b.mul(f.y, scale))), offset);

  const Value xx = b.mul(ax, ax);
  const Value yy = b.mul(ay, ay);
  const Value rest = b.add(b.fma(ax, ax, b.neg(xx)), b.fma(ay, ay, b.neg(yy)));
  const Value first = b.sub(xx, f.number(1));
  const Value sum = b.add(first, yy);
  const Value back = b.sub(sum, first);
  const Value error = b.add(b.sub(first, b.sub(sum, back)), b.sub(yy, back));
  const Value near = b.mul(f.number(0.5), b.unary(Opcode::log1p, b.add(sum, b.add(error, rest))));
  const Value close = b.bit_and(b.ge(xx, f.number(0.5)), b.le(b.add(xx, yy), f.number(2)));
  // An infinite part takes precedence over a NaN.
  const Value infinite = b.bit_or(f.is_inf(f.x), f.is_inf(f.y));
  return b.select(infinite, f.number(__builtin_inf()), b.select(close, near, far));
}

Value complex_log(Builder& b, Value z, double factor) {
  Formula f(b, z);
  const Value unit = f.number(factor);
  return f.pack(b.mul(log_magnitude(f), unit), b.mul(b.binary(Opcode::atan2, f.y, f.x), unit));
}

Value complex_log1p(Builder& b, Value z) {
  Formula f(b, z);
  const Value shifted = b.add(f.x, f.number(1));
  return f.pack(b.log(b.binary(Opcode::hypot, shifted, f.y)), b.binary(Opcode::atan2, f.y, shifted));
}

Value complex_expm1(Builder& b, Value z) {
  Formula f(b, z);
  const Value half_sine = b.unary(Opcode::sin, b.mul(f.y, f.number(0.5)));
  const Value re = b.sub(b.mul(b.unary(Opcode::expm1, f.x), b.unary(Opcode::cos, f.y)),
                         b.mul(b.mul(f.number(2), half_sine), half_sine));
  return f.pack(re, b.mul(b.exp(f.x), b.unary(Opcode::sin, f.y)));
}

Value scaled(Builder& b, Value z, double factor) {
  const Value unit = b.constant(b.type(b.real(z)), factor);
  return b.make_complex(b.mul(b.real(z), unit), b.mul(b.imag(z), unit));
}

}  // namespace

Value complex_function(Builder& b, Opcode op, Value z) {
  switch (op) {
    case Opcode::sqrt: return complex_sqrt(b, z);
    case Opcode::exp: return complex_exp(b, z);
    case Opcode::exp2: return complex_exp(b, scaled(b, z, std::numbers::ln2));
    case Opcode::expm1: return complex_expm1(b, z);
    case Opcode::log: return complex_log(b, z, 1);
    case Opcode::log2: return complex_log(b, z, std::numbers::log2e);
    case Opcode::log10: return complex_log(b, z, std::numbers::log10e);
    case Opcode::log1p: return complex_log1p(b, z);
    case Opcode::sinh: return complex_sinh(b, z);
    case Opcode::cosh: return complex_cosh(b, z);
    case Opcode::tanh: return complex_tanh(b, z);
    case Opcode::sin: return times_minus_i(b, complex_sinh(b, times_i(b, z)));
    case Opcode::cos: return complex_cosh(b, times_i(b, z));
    case Opcode::tan: return times_minus_i(b, complex_tanh(b, times_i(b, z)));
    case Opcode::asin: return complex_asin(b, z);
    case Opcode::acos: return complex_acos(b, z);
    case Opcode::atanh: return complex_atanh(b, z);
    case Opcode::asinh: return times_minus_i(b, complex_asin(b, times_i(b, z)));
    case Opcode::atan: return times_minus_i(b, complex_atanh(b, times_i(b, z)));
    case Opcode::acosh: {
      // The root with a nonnegative real part, on z's side of the branch cut.
      const Value w = complex_acos(b, z);
      return b.make_complex(b.abs(b.imag(w)), b.binary(Opcode::copysign, b.real(w), b.imag(z)));
    }
    default: invariant(false, "ir: {} of {}", name(op), b.type(z));
  }
  return no_value;
}

}  // namespace tessera::ir
