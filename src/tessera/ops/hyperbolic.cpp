/// Hyperbolic functions and their inverses.
#include "tessera/ir/math/accuracy.h"
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::ErrorRule;
using ir::Opcode;
using ir::Value;

namespace {

template <Opcode op>
void add_one(OpTable& table, std::string_view name, std::string_view doc, ErrorRule errors, double low, double high) {
  table.add({.name = name,
             .doc = doc,
             .signatures = uniform_loops(inexact_codes, 1),
             .body = unary_body<op>,
             .errors = errors,
             .samples = {low, high},
             .ulp = math::max_ulp(op)});
}

}  // namespace

void add_hyperbolic(OpTable& table) {
  using enum ErrorRule;
  add_one<Opcode::sinh>(table, "sinh", "Hyperbolic sine, element-wise.", arithmetic, -4, 4);
  add_one<Opcode::cosh>(table, "cosh", "Hyperbolic cosine, element-wise.", arithmetic, -4, 4);
  add_one<Opcode::tanh>(table, "tanh", "Compute hyperbolic tangent element-wise.", arithmetic, -4, 4);
  add_one<Opcode::asinh>(table, "arcsinh", "Inverse hyperbolic sine element-wise.", arithmetic, -4, 4);
  add_one<Opcode::acosh>(table, "arccosh", "Inverse hyperbolic cosine, element-wise.", arithmetic, 1, 8);
  add_one<Opcode::atanh>(table, "arctanh", "Inverse hyperbolic tangent element-wise.", pole, -0.99, 0.99);
}

}  // namespace tessera::ops
