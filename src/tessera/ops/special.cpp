/// The functions of tessera.scipy.special.
#include <limits>
#include <numbers>

#include "tessera/ops/families.h"
#include "tessera/ops/special_table.h"

namespace tessera::ops {

using ir::Builder;
using ir::ErrorRule;
using ir::Opcode;
using ir::Value;

namespace {

/// exp(-|x|) never overflows and serves both branches.
Value expit(Builder& b, Value x) {
  Value e = b.exp(b.neg(b.abs(x)));
  Value one = b.one_like(x);
  return b.div(b.select(b.ge(x, b.zero_like(x)), one, e), b.add(one, e));
}

Value log_expit(Builder& b, Value x) {
  return b.sub(b.min(x, b.zero_like(x)), b.unary(Opcode::log1p, b.exp(b.neg(b.abs(x)))));
}

Value logit(Builder& b, Value x) {
  Value one = b.one_like(x);
  Value centre = b.mul(number(b, x, 2), b.sub(x, number(b, x, 0.5)));
  Value middle = b.sub(b.unary(Opcode::log1p, centre), b.unary(Opcode::log1p, b.neg(centre)));
  Value is_middle = b.le(b.abs(b.sub(x, number(b, x, 0.5))), number(b, x, 0.2));
  return b.select(is_middle, middle, b.log(b.div(x, b.sub(one, x))));
}

/// erfc(x sqrt(1/2)) / 2 for x >= 0, times 1 + (d log erfc / dt) * (rounding error of t): for large t the factor t^2
/// would otherwise spread that error over all digits.
Value normal_tail(Builder& b, Value x) {
  const bool single = b.type(x) == DType::float32;
  const double root = single ? static_cast<float>(std::numbers::sqrt2 / 2) : std::numbers::sqrt2 / 2;
  const double root_low = single ? std::numbers::sqrt2 / 2 - root : -0x1.bdd3413b26456p-55;
  Value a = b.min(x, number(b, x, 40));  // beyond 40 the tail is 0
  Value t = b.mul(a, number(b, x, root));
  Value lost = b.fma(a, number(b, x, root_low), b.fma(a, number(b, x, root), b.neg(t)));
  Value slope = b.add(t, b.unary(Opcode::sqrt, b.fma(t, t, number(b, x, 1.7))));
  Value tail = b.mul(number(b, x, 0.5), b.unary(Opcode::erfc, t));
  return b.fma(tail, b.neg(b.mul(slope, lost)), tail);
}

Value ndtr(Builder& b, Value x) {
  Value half = number(b, x, 0.5), size = b.abs(x);
  Value tail = normal_tail(b, size);
  Value centre = b.fma(half, b.unary(Opcode::erf, b.mul(x, number(b, x, std::numbers::sqrt2 / 2))), half);
  Value outside = b.select(b.gt(x, b.zero_like(x)), b.sub(b.one_like(x), tail), tail);
  return b.select(b.lt(size, b.one_like(x)), centre, outside);
}

Value xlogy(Builder& b, Value x, Value y) {
  Value zero = b.zero_like(x);
  Value is_zero = b.bit_and(b.eq(x, zero), b.bit_not(b.unary(Opcode::is_nan, y)));
  return b.select(is_zero, zero, b.mul(x, b.log(y)));
}

Value xlog1py(Builder& b, Value x, Value y) {
  Value zero = b.zero_like(x);
  Value is_zero = b.bit_and(b.eq(x, zero), b.bit_not(b.unary(Opcode::is_nan, y)));
  return b.select(is_zero, zero, b.mul(x, b.unary(Opcode::log1p, y)));
}

Value entr(Builder& b, Value x) {
  Value zero = b.zero_like(x);
  Value minus_infinity = number(b, x, -std::numeric_limits<double>::infinity());
  Value inside = b.neg(b.mul(x, b.log(x)));
  return b.select(b.eq(x, zero), zero, b.select(b.lt(x, zero), minus_infinity, inside));
}

Value exp10(Builder& b, Value x) { return b.binary(Opcode::pow, number(b, x, 10), x); }

template <Opcode op>
Value primitive(Builder& b, Value x) {
  return b.unary(op, x);
}

}  // namespace

void add_special(OpTable& table) {
  add_special_function<primitive<Opcode::erf>, 1>(table, "erf", "The error function.", -4, 4);
  add_special_function<primitive<Opcode::erfc>, 1>(table, "erfc", "Complementary error function, 1 - erf(x).", -4, 4);
  add_special_function<primitive<Opcode::tgamma>, 1>(table, "gamma", "The gamma function.", 0.1, 8);
  add_special_function<primitive<Opcode::lgamma>, 1>(table, "gammaln", "Logarithm of |gamma(x)|.", 0.1, 8);
  add_special_function<expit, 1>(table, "expit", "The logistic sigmoid, 1 / (1 + exp(-x)).", -8, 8);
  add_special_function<log_expit, 1>(table, "log_expit", "Logarithm of the logistic sigmoid.", -8, 8);
  add_special_function<logit, 1>(table, "logit", "log(p / (1 - p)).", 0.01, 0.99);
  add_special_function<ndtr, 1>(table, "ndtr", "The cumulative distribution of the standard normal distribution.", -4,
                                4);
  add_special_function<xlogy, 2>(table, "xlogy", "x * log(y), zero where x is zero.", 0.1, 4);
  add_special_function<xlog1py, 2>(table, "xlog1py", "x * log1p(y), zero where x is zero.", 0.1, 4);
  add_special_function<entr, 1>(table, "entr", "-x * log(x), zero at zero.", 0, 4);
  add_special_function<exp10, 1>(table, "exp10", "10**x, element-wise.", -4, 4);
  add_special_transforms(table);
  add_special_normal(table);
  add_special_gamma(table);
  add_special_bessel(table);
  add_special_incomplete(table);
}

}  // namespace tessera::ops
