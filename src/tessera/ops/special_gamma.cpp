/// Functions related to gamma: digamma, rgamma, gammasgn, beta, betaln.
#include <numbers>

#include "tessera/ops/special_table.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

Value is_nonpositive_integer(Builder& b, Value x) {
  return b.bit_and(b.le(x, b.zero_like(x)), b.eq(x, b.unary(Opcode::floor, x)));
}

/// The recurrence below 10, with ten terms of the sum combined into one quotient, then the asymptotic series;
/// reflection below 0.
Value digamma_double(Builder& b, Value x) {
  const Value zero = b.zero_like(x), one = b.one_like(x);
  const Value negative = b.lt(x, zero);
  const Value y = b.select(negative, b.sub(one, x), x);
  const Value small = b.lt(y, number(b, x, 10));
  Value t = b.select(small, y, one);
  Value denominator = t, numerator = one;
  for (int k = 1; k < 10; ++k) {
    t = b.add(t, one);
    numerator = b.fma(numerator, t, denominator);
    denominator = b.mul(denominator, t);
  }
  const Value shift = b.select(small, b.div(numerator, denominator), zero);
  const Value z = b.select(small, b.add(y, number(b, x, 10)), y);
  const Value inverse = b.div(one, z), w = b.mul(inverse, inverse);
  const Value series =
      b.mul(w, horner(b, w, {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12}));
  Value r = b.sub(b.sub(b.sub(b.log(z), b.mul(number(b, x, 0.5), inverse)), series), shift);
  const Value fraction = b.sub(x, b.unary(Opcode::rint, x));
  const Value pi = number(b, x, std::numbers::pi);
  r = b.select(negative, b.sub(r, b.div(pi, b.unary(Opcode::tan, b.mul(pi, fraction)))), r);
  r = b.select(b.bit_and(negative, is_nonpositive_integer(b, x)), number(b, x, quiet_nan), r);
  r = b.select(b.eq(x, number(b, x, -infinity)), number(b, x, quiet_nan), r);
  return b.select(b.eq(x, zero), b.binary(Opcode::copysign, number(b, x, infinity), b.neg(x)), r);
}

Value gammasgn(Builder& b, Value x) {
  const Value zero = b.zero_like(x), one = b.one_like(x);
  const Value down = b.unary(Opcode::floor, x);
  const Value half = b.mul(down, number(b, x, 0.5));
  const Value odd = b.ne(half, b.unary(Opcode::floor, half));
  Value r = b.select(b.bit_and(b.lt(x, zero), odd), b.neg(one), one);
  r = b.select(b.bit_and(b.lt(x, zero), b.eq(x, down)), number(b, x, quiet_nan), r);
  r = b.select(b.eq(x, zero), b.binary(Opcode::copysign, one, x), r);
  return b.select(b.unary(Opcode::is_nan, x), x, r);
}

Value rgamma_double(Builder& b, Value x) {
  const Value large = b.exp(b.neg(b.unary(Opcode::lgamma, x)));
  const Value r = b.select(b.gt(x, number(b, x, 170)), large, b.div(b.one_like(x), b.unary(Opcode::tgamma, x)));
  return b.select(is_nonpositive_integer(b, x), b.zero_like(x), r);
}

/// Where one argument is much larger than the other, lgamma(a) - lgamma(a + b) is evaluated as a series in 1 / a.
Value betaln_double(Builder& b, Value p, Value q) {
  const Value a = b.max(p, q), c = b.min(p, q), one = b.one_like(p);
  const Value sum =
      b.sub(b.add(b.unary(Opcode::lgamma, a), b.unary(Opcode::lgamma, c)), b.unary(Opcode::lgamma, b.add(a, c)));
  const Value inverse = b.div(one, a);
  const Value product = b.mul(c, b.sub(one, c));
  const Value second = b.mul(product, b.sub(one, b.mul(number(b, p, 2), c)));
  const Value third = b.neg(b.mul(product, product));
  const Value twelfth = number(b, p, 1.0 / 12);
  Value tail = b.fma(b.mul(third, twelfth), inverse, b.mul(second, twelfth));
  tail = b.fma(tail, inverse, b.mul(product, number(b, p, 0.5)));
  const Value head = b.sub(b.unary(Opcode::lgamma, c), b.mul(c, b.log(a)));
  const Value asymptotic = b.fma(tail, inverse, head);
  const Value dwarfs = b.bit_and(b.gt(c, b.zero_like(p)), b.gt(a, b.mul(number(b, p, 1e6), b.max(c, one))));
  return b.select(dwarfs, asymptotic, sum);
}

Value beta_double(Builder& b, Value p, Value q) {
  const Value sum = b.add(p, q), limit = number(b, p, 170);
  const Value moderate = b.bit_and(b.bit_and(b.lt(b.abs(p), limit), b.lt(b.abs(q), limit)), b.lt(b.abs(sum), limit));
  const Value direct = b.mul(b.div(b.unary(Opcode::tgamma, b.max(p, q)), b.unary(Opcode::tgamma, sum)),
                             b.unary(Opcode::tgamma, b.min(p, q)));
  const Value sign = b.mul(b.mul(gammasgn(b, p), gammasgn(b, q)), gammasgn(b, sum));
  return b.select(moderate, direct, b.mul(sign, b.exp(betaln_double(b, p, q))));
}

}  // namespace

void add_special_gamma(OpTable& table) {
  add_special_function<in_double<digamma_double>, 1>(table, "digamma", "Derivative of the logarithm of gamma.", 0.1, 8);
  add_special_function<in_double<digamma_double>, 1>(table, "psi", "Derivative of the logarithm of gamma.", 0.1, 8);
  add_special_function<gammasgn, 1>(table, "gammasgn", "Sign of the gamma function.", -4, 4);
  add_special_function<in_double<rgamma_double>, 1>(table, "rgamma", "1 / gamma(x).", 0.1, 8);
  add_special_function<pair_in_double<betaln_double>, 2>(table, "betaln", "Logarithm of |beta(a, b)|.", 0.1, 8);
  add_special_function<pair_in_double<beta_double>, 2>(table, "beta", "The beta function.", 0.1, 8);
}

}  // namespace tessera::ops
