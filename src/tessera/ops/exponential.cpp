/// Exponentials, logarithms and log-sums.
#include <numbers>

#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/functions.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::ErrorRule;
using ir::Opcode;
using ir::Value;

namespace {

/// log(exp(x) + exp(y)) without overflow; equal operands (infinities too) give x + log 2.
template <Opcode exp, bool base2>
Value log_sum(Builder& b, Value x, Value y) {
  Value difference = b.sub(x, y);
  Value small = b.unary(Opcode::log1p, b.unary(exp, b.neg(b.abs(difference))));
  if (base2) small = b.mul(small, b.constant(b.type(x), std::numbers::log2e));
  Value sum = b.add(b.max(x, y), small);
  Value twice = b.add(x, b.constant(b.type(x), base2 ? 1.0 : std::numbers::ln2));
  return b.select(b.eq(x, y), twice, sum);
}

}  // namespace

void add_exponential(OpTable& table) {
  using enum ErrorRule;
  add_function<Opcode::exp>(table, "exp", "e to the power of x.", arithmetic, -4, 4);
  add_function<Opcode::exp2>(table, "exp2", "2 to the power of x.", arithmetic, -4, 4);
  add_function<Opcode::expm1>(table, "expm1", "exp(x) - 1, exact for small x.", arithmetic, -4, 4);
  add_function<Opcode::log>(table, "log", "The logarithm to base e; -inf at 0, NaN below.", pole, 0.01, 8);
  add_function<Opcode::log2>(table, "log2", "The logarithm to base 2; -inf at 0, NaN below.", pole, 0.01, 8);
  add_function<Opcode::log10>(table, "log10", "The logarithm to base 10; -inf at 0, NaN below.", pole, 0.01, 8);
  add_function<Opcode::log1p>(table, "log1p", "log(1 + x), exact for small x.", pole, -0.9, 8);
  table.add({.name = "logaddexp",
             .doc = "log(exp(x1) + exp(x2)), without overflow.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = body_of<log_sum<Opcode::exp, false>, 2>,
             .identity = -std::numeric_limits<double>::infinity(),
             .reorderable = true});
  table.add({.name = "logaddexp2",
             .doc = "log2(2^x1 + 2^x2), without overflow.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = body_of<log_sum<Opcode::exp2, true>, 2>,
             .identity = -std::numeric_limits<double>::infinity(),
             .reorderable = true});
}

}  // namespace tessera::ops
