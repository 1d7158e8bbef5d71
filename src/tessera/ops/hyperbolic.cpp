/// Hyperbolic functions and their inverses.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/functions.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::ErrorRule;
using ir::Opcode;
using ir::Value;

void add_hyperbolic(OpTable& table) {
  using enum ErrorRule;
  add_function<Opcode::sinh>(table, "sinh", "Hyperbolic sine, element-wise.", arithmetic, -4, 4);
  add_function<Opcode::cosh>(table, "cosh", "Hyperbolic cosine, element-wise.", arithmetic, -4, 4);
  add_function<Opcode::tanh>(table, "tanh", "Compute hyperbolic tangent element-wise.", arithmetic, -4, 4);
  add_function<Opcode::asinh>(table, "arcsinh", "Inverse hyperbolic sine element-wise.", arithmetic, -4, 4);
  add_function<Opcode::acosh>(table, "arccosh", "Inverse hyperbolic cosine, element-wise.", arithmetic, 1, 8);
  add_function<Opcode::atanh>(table, "arctanh", "Inverse hyperbolic tangent element-wise.", pole, -0.99, 0.99);
}

}  // namespace tessera::ops
