/// Division with a remainder: floor_divide, remainder, fmod, divmod.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::ErrorRule;
using ir::Opcode;

namespace {

void divmod_body(Builder& b, In in, Out out) {
  out[0] = b.binary(Opcode::floor_div, in[0], in[1]);
  out[1] = b.binary(Opcode::floor_mod, in[0], in[1]);
}

}  // namespace

void add_divmod(OpTable& table) {
  table.add({.name = "floor_divide",
             .doc = "x1 / x2 rounded down.",
             .signatures = uniform_loops(real_codes, 2),
             .body = binary_body<Opcode::floor_div>,
             .errors = ErrorRule::divide,
             .integer_errors = ErrorRule::integer_divide});
  table.add({.name = "remainder",
             .doc = "The remainder of floor division, element-wise; it has the sign of the divisor.",
             .signatures = uniform_loops(real_codes, 2),
             .body = binary_body<Opcode::floor_mod>,
             .errors = ErrorRule::arithmetic,
             .integer_errors = ErrorRule::integer_divide});
  table.add({.name = "fmod",
             .doc = "The remainder of truncating division, element-wise; it has the sign of the dividend.",
             .signatures = uniform_loops(real_codes, 2),
             .body = binary_body<Opcode::rem>,
             .errors = ErrorRule::arithmetic,
             .integer_errors = ErrorRule::integer_divide});
  table.add({.name = "divmod",
             .doc = "Quotient and remainder of floor division at once.",
             .signatures = uniform_loops(real_codes, 2, 2),
             .body = divmod_body,
             .errors = ErrorRule::divide,
             .integer_errors = ErrorRule::integer_divide});
}

}  // namespace tessera::ops
