/// logical_and, logical_or, logical_xor, logical_not.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::ReduceKind;

namespace {

template <Opcode op>
void logic_body(Builder& b, In in, Out out) {
  out[0] = b.binary(op, truth(b, in[0]), truth(b, in[1]));
}

/// Operands of different types are converted to booleans: only their truth values matter.
void meet_as_booleans(const Op&, std::span<DType> in) {
  if (in[0] != in[1]) in[0] = in[1] = DType::boolean;
}

}  // namespace

void add_logic(OpTable& table) {
  table.add({.name = "logical_and",
             .doc = "Whether both are true (not 0).",
             .signatures = loops_to(DType::boolean, all_codes, 2),
             .body = logic_body<Opcode::bit_and>,
             .resolve = meet_as_booleans,
             .reduce = ReduceKind::bit_and,
             .identity = 1,
             .reorderable = true});
  table.add({.name = "logical_or",
             .doc = "Whether either is true (not 0).",
             .signatures = loops_to(DType::boolean, all_codes, 2),
             .body = logic_body<Opcode::bit_or>,
             .resolve = meet_as_booleans,
             .reduce = ReduceKind::bit_or,
             .identity = 0,
             .reorderable = true});
  table.add({.name = "logical_xor",
             .doc = "Whether one of both is true (not 0) and the other is not.",
             .signatures = loops_to(DType::boolean, all_codes, 2),
             .body = logic_body<Opcode::bit_xor>,
             .resolve = meet_as_booleans,
             .reduce = ReduceKind::bit_xor,
             .identity = 0,
             .reorderable = true});
  table.add({.name = "logical_not",
             .doc = "Whether x is false (0).",
             .signatures = loops_to(DType::boolean, all_codes, 1),
             .body = [](Builder& b, In in, Out out) { out[0] = b.bit_not(truth(b, in[0])); }});
}

}  // namespace tessera::ops
