/// Entropies, losses and power transforms of tessera.scipy.special.
#include "tessera/ops/special_table.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

Value is_nan(Builder& b, Value x) { return b.unary(Opcode::is_nan, x); }
Value both_positive(Builder& b, Value x, Value y) {
  return b.bit_and(b.gt(x, b.zero_like(x)), b.gt(y, b.zero_like(y)));
}

/// `inside` where x and y are positive, `edge` where x is 0 and y is not negative, infinity elsewhere.
Value entropy_cases(Builder& b, Value x, Value y, Value inside, Value edge) {
  const Value on_edge = b.bit_and(b.eq(x, b.zero_like(x)), b.ge(y, b.zero_like(y)));
  Value r = b.select(on_edge, edge, number(b, x, infinity));
  r = b.select(both_positive(b, x, y), inside, r);
  return b.select(b.bit_or(is_nan(b, x), is_nan(b, y)), b.add(x, y), r);
}

Value rel_entr_double(Builder& b, Value x, Value y) {
  return entropy_cases(b, x, y, b.mul(x, b.log(b.div(x, y))), b.zero_like(x));
}

Value kl_div_double(Builder& b, Value x, Value y) {
  return entropy_cases(b, x, y, b.add(b.sub(b.mul(x, b.log(b.div(x, y))), x), y), y);
}

Value huber(Builder& b, Value delta, Value r) {
  const Value a = b.abs(r), half = number(b, r, 0.5);
  const Value square = b.mul(half, b.mul(r, r));
  const Value linear = b.mul(delta, b.sub(a, b.mul(half, delta)));
  const Value loss = b.select(b.le(a, delta), square, linear);
  return b.select(b.lt(delta, b.zero_like(r)), number(b, r, infinity), loss);
}

Value pseudo_huber_double(Builder& b, Value delta, Value r) {
  const Value zero = b.zero_like(r), v = b.div(r, delta);
  const Value root = b.unary(Opcode::expm1, b.mul(number(b, r, 0.5), b.unary(Opcode::log1p, b.mul(v, v))));
  Value loss = b.mul(b.mul(delta, delta), root);
  loss = b.select(b.bit_or(b.eq(delta, zero), b.eq(r, zero)), zero, loss);
  return b.select(b.lt(delta, zero), number(b, r, infinity), loss);
}

/// (e^x - 1) / x.
Value exprel_double(Builder& b, Value x) {
  const Value r = b.div(b.unary(Opcode::expm1, x), x);
  const Value tiny = b.lt(b.abs(x), number(b, x, 0x1p-53));
  return b.select(tiny, b.one_like(x), b.select(b.eq(x, number(b, x, infinity)), x, r));
}

/// cos(x) - 1 without cancellation.
Value cosm1_double(Builder& b, Value x) {
  const Value s = b.unary(Opcode::sin, b.mul(number(b, x, 0.5), x));
  return b.mul(number(b, x, -2), b.mul(s, s));
}

/// (x^lambda - 1) / lambda given log x.
Value power_transform(Builder& b, Value log_x, Value lambda) {
  const Value power = b.div(b.unary(Opcode::expm1, b.mul(lambda, log_x)), lambda);
  return b.select(b.lt(b.abs(lambda), number(b, lambda, 1e-19)), log_x, power);
}

Value boxcox_double(Builder& b, Value x, Value lambda) { return power_transform(b, b.log(x), lambda); }
Value boxcox1p_double(Builder& b, Value x, Value lambda) {
  return power_transform(b, b.unary(Opcode::log1p, x), lambda);
}

Value inverse_log(Builder& b, Value y, Value lambda) {
  const Value l = b.div(b.unary(Opcode::log1p, b.mul(lambda, y)), lambda);
  return b.select(b.eq(lambda, b.zero_like(lambda)), y, l);
}
Value inv_boxcox_double(Builder& b, Value y, Value lambda) { return b.exp(inverse_log(b, y, lambda)); }
Value inv_boxcox1p_double(Builder& b, Value y, Value lambda) {
  return b.unary(Opcode::expm1, inverse_log(b, y, lambda));
}

}  // namespace

void add_special_transforms(OpTable& table) {
  add_special_function<pair_in_double<rel_entr_double>, 2>(table, "rel_entr", "x * log(x / y).", 0.1, 4);
  add_special_function<pair_in_double<kl_div_double>, 2>(table, "kl_div", "x * log(x / y) - x + y.", 0.1, 4);
  add_special_function<huber, 2>(table, "huber", "Huber's loss of r at threshold delta.", 0.1, 4);
  add_special_function<pair_in_double<pseudo_huber_double>, 2>(table, "pseudo_huber", "Smooth form of Huber's loss.",
                                                               0.1, 4);
  add_special_function<in_double<exprel_double>, 1>(table, "exprel", "(exp(x) - 1) / x.", -4, 4);
  add_special_function<in_double<cosm1_double>, 1>(table, "cosm1", "cos(x) - 1.", -4, 4);
  add_special_function<pair_in_double<boxcox_double>, 2>(table, "boxcox", "(x**lmbda - 1) / lmbda, log(x) at 0.", 0.1,
                                                         4);
  add_special_function<pair_in_double<boxcox1p_double>, 2>(table, "boxcox1p", "boxcox(1 + x, lmbda).", 0.1, 4);
  add_special_function<pair_in_double<inv_boxcox_double>, 2>(table, "inv_boxcox", "Inverse of boxcox.", 0.1, 4);
  add_special_function<pair_in_double<inv_boxcox1p_double>, 2>(table, "inv_boxcox1p", "Inverse of boxcox1p.", 0.1, 4);
}

}  // namespace tessera::ops
