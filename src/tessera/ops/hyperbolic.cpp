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
  add_function<Opcode::sinh>(table, "sinh", "(exp(x) - exp(-x)) / 2.", arithmetic, -4, 4);
  add_function<Opcode::cosh>(table, "cosh", "(exp(x) + exp(-x)) / 2.", arithmetic, -4, 4);
  add_function<Opcode::tanh>(table, "tanh", "sinh(x) / cosh(x), from -1 to 1.", arithmetic, -4, 4);
  add_function<Opcode::asinh>(table, "arcsinh", "The y with sinh(y) = x.", arithmetic, -4, 4);
  add_function<Opcode::acosh>(table, "arccosh", "The y >= 0 with cosh(y) = x; NaN below 1.", arithmetic, 1, 8);
  add_function<Opcode::atanh>(table, "arctanh", "The y with tanh(y) = x; infinite at -1 and 1, NaN beyond.", pole,
                              -0.99, 0.99);
}

}  // namespace tessera::ops
