/// gcd and lcm.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Opcode;

void add_integer(OpTable& table) {
  table.add({.name = "gcd",
             .doc = "The greatest common divisor of |x1| and |x2|.",
             .signatures = uniform_loops(integer_codes, 2),
             .body = binary_body<Opcode::gcd>,
             .exact = true,
             .identity = 0,
             .reorderable = true,
             .samples = {0, 100}});
  table.add({.name = "lcm",
             .doc = "The lowest common multiple of |x1| and |x2|.",
             .signatures = uniform_loops(integer_codes, 2),
             .body = binary_body<Opcode::lcm>,
             .exact = true,
             .samples = {0, 100}});
}

}  // namespace tessera::ops
