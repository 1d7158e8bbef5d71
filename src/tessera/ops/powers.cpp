/// power, float_power, sqrt, cbrt, hypot.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::ErrorRule;
using ir::Opcode;

void add_powers(OpTable& table) {
  table.add({.name = "power",
             .doc = "x1 to the power of x2; of integers an integer, for which x2 may not be negative (ValueError).",
             .signatures = uniform_loops(number_codes, 2),
             .body = binary_body<Opcode::pow>,
             .errors = ErrorRule::power});
  table.add({.name = "float_power",
             .doc = "x1 to the power of x2, as float64 at least.",
             .signatures = uniform_loops("dD", 2),
             .body = binary_body<Opcode::pow>,
             .errors = ErrorRule::power});
  table.add({.name = "sqrt",
             .doc = "The square root that is not negative; NaN below 0.",
             .signatures = uniform_loops(inexact_codes, 1),
             .body = unary_body<Opcode::sqrt>,
             .errors = ErrorRule::arithmetic,
             .samples = {0, 8}});
  table.add({.name = "cbrt",
             .doc = "The y whose cube is x, of negative x too.",
             .signatures = uniform_loops(floating_codes, 1),
             .body = unary_body<Opcode::cbrt>});
  table.add({.name = "hypot",
             .doc = "The hypotenuse of right triangles with the given legs.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = binary_body<Opcode::hypot>,
             .errors = ErrorRule::arithmetic,
             .identity = 0,
             .reorderable = true});
}

}  // namespace tessera::ops
