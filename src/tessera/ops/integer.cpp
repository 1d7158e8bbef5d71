/// gcd and lcm.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Opcode;

void add_integer(OpTable& table) {
  table.add({.name = "gcd",
             .doc = "The largest integer that divides both; of 0 and x it is |x|.",
             .signatures = uniform_loops(integer_codes, 2),
             .body = binary_body<Opcode::gcd>,
             .exact = true,
             .identity = 0,
             .reorderable = true,
             .samples = {0, 100}});
  table.add({.name = "lcm",
             .doc = "The smallest positive integer that both divide; 0 where one is 0.",
             .signatures = uniform_loops(integer_codes, 2),
             .body = binary_body<Opcode::lcm>,
             .exact = true,
             .samples = {0, 100}});
}

}  // namespace tessera::ops
