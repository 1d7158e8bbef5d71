/// Ops without a ufunc that the engine records itself: copy, fill, select.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;

void add_hidden(OpTable& table) {
  auto same = [](Builder&, In in, Out out) { out[0] = in[0]; };
  table.add({.name = "copy",
             .doc = "The operand; a cast happens where the result's type differs.",
             .kind = OpKind::hidden,
             .signatures = uniform_loops(all_codes, 1),
             .body = same,
             .errors = ir::ErrorRule::cast});
  table.add({.name = "fill",
             .doc = "One value everywhere.",
             .kind = OpKind::hidden,
             .signatures = uniform_loops(all_codes, 1),
             .body = same});
  std::vector<Signature> select_loops = uniform_loops(all_codes, 3);
  for (Signature& loop : select_loops) loop.in[0] = DType::boolean;
  table.add({.name = "select",
             .doc = "The second operand where the first is true, else the third.",
             .kind = OpKind::hidden,
             .signatures = select_loops,
             .body = [](Builder& b, In in, Out out) { out[0] = b.select(in[0], in[1], in[2]); },
             .resolve = [](const Op&, std::span<DType> in) { in[1] = in[2] = promote(in[1], in[2]); }});
}

}  // namespace tessera::ops
