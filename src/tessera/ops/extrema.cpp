/// maximum, minimum, fmax, fmin and clip.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::ReduceKind;

void add_extrema(OpTable& table) {
  table.add({.name = "maximum",
             .doc = "Element-wise maximum; NaNs propagate.",
             .signatures = uniform_loops(all_codes, 2),
             .body = binary_body<Opcode::max>,
             .reduce = ReduceKind::max,
             .reorderable = true});
  table.add({.name = "minimum",
             .doc = "Element-wise minimum; NaNs propagate.",
             .signatures = uniform_loops(all_codes, 2),
             .body = binary_body<Opcode::min>,
             .reduce = ReduceKind::min,
             .reorderable = true});
  table.add({.name = "fmax",
             .doc = "Element-wise maximum; NaNs are ignored where the other operand is a number.",
             .signatures = uniform_loops(all_codes, 2),
             .body = binary_body<Opcode::max_num>,
             .reduce = ReduceKind::max_num,
             .reorderable = true});
  table.add({.name = "fmin",
             .doc = "Element-wise minimum; NaNs are ignored where the other operand is a number.",
             .signatures = uniform_loops(all_codes, 2),
             .body = binary_body<Opcode::min_num>,
             .reduce = ReduceKind::min_num,
             .reorderable = true});
  table.add({.name = "clip",
             .doc = "Clip (limit) the values to an interval.",
             .signatures = uniform_loops(all_codes, 3),
             .body = [](Builder& b, In in, Out out) { out[0] = b.min(b.max(in[0], in[1]), in[2]); }});
}

}  // namespace tessera::ops
