/// Hyperbolic functions and their inverses.
#include "tessera/ops/bodies.h"
#include "tessera/ops/complex_math.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::ErrorRule;
using ir::Opcode;
using ir::Value;

namespace {

using ComplexFn = Value (*)(Builder&, Value);

template <Opcode op, ComplexFn complex_form>
void add_one(OpTable& table, std::string_view name, std::string_view doc, ErrorRule errors, double low, double high) {
  table.add({.name = name,
             .doc = doc,
             .signatures = uniform_loops(inexact_codes, 1),
             .body = [](Builder& b, In in, Out out) {
               out[0] = is_complex(b.type(in[0])) ? complex_form(b, in[0]) : b.unary(op, in[0]);
             },
             .errors = errors,
             .samples = {low, high},
             .ulp = 2});
}

}  // namespace

void add_hyperbolic(OpTable& table) {
  using enum ErrorRule;
  add_one<Opcode::sinh, complex_sinh>(table, "sinh", "Hyperbolic sine, element-wise.", arithmetic, -4, 4);
  add_one<Opcode::cosh, complex_cosh>(table, "cosh", "Hyperbolic cosine, element-wise.", arithmetic, -4, 4);
  add_one<Opcode::tanh, complex_tanh>(table, "tanh", "Compute hyperbolic tangent element-wise.", arithmetic, -4, 4);
  add_one<Opcode::asinh, complex_asinh>(table, "arcsinh", "Inverse hyperbolic sine element-wise.", arithmetic, -4, 4);
  add_one<Opcode::acosh, complex_acosh>(table, "arccosh", "Inverse hyperbolic cosine, element-wise.", arithmetic, 1, 8);
  add_one<Opcode::atanh, complex_atanh>(table, "arctanh", "Inverse hyperbolic tangent element-wise.", pole, -0.99, 0.99);
}

}  // namespace tessera::ops
