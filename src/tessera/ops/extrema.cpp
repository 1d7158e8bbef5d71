/// maximum, minimum, fmax, fmin and clip.
#include "tessera/ops/bodies.h"
#include "tessera/ops/complex_math.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::ReduceKind;
using ir::Value;

namespace {

enum class Nan { wins, loses };

Value larger(Builder& b, Value x, Value y, Nan nan) {
  DType t = b.type(x);
  if (is_boolean(t)) return b.bit_or(x, y);
  if (!is_complex(t)) return b.binary(nan == Nan::wins || is_integer(t) ? Opcode::max : Opcode::max_num, x, y);
  return b.select(b.bit_or(complex_ge(b, x, y), complex_is_nan(b, nan == Nan::wins ? x : y)), x, y);
}

Value smaller(Builder& b, Value x, Value y, Nan nan) {
  DType t = b.type(x);
  if (is_boolean(t)) return b.bit_and(x, y);
  if (!is_complex(t)) return b.binary(nan == Nan::wins || is_integer(t) ? Opcode::min : Opcode::min_num, x, y);
  return b.select(b.bit_or(complex_le(b, x, y), complex_is_nan(b, nan == Nan::wins ? x : y)), x, y);
}

}  // namespace

void add_extrema(OpTable& table) {
  table.add({.name = "maximum",
             .doc = "Element-wise maximum; NaNs propagate.",
             .signatures = uniform_loops(all_codes, 2),
             .body = [](Builder& b, In in, Out out) { out[0] = larger(b, in[0], in[1], Nan::wins); },
             .reduce = ReduceKind::max,
             .reorderable = true});
  table.add({.name = "minimum",
             .doc = "Element-wise minimum; NaNs propagate.",
             .signatures = uniform_loops(all_codes, 2),
             .body = [](Builder& b, In in, Out out) { out[0] = smaller(b, in[0], in[1], Nan::wins); },
             .reduce = ReduceKind::min,
             .reorderable = true});
  table.add({.name = "fmax",
             .doc = "Element-wise maximum; NaNs are ignored where the other operand is a number.",
             .signatures = uniform_loops(all_codes, 2),
             .body = [](Builder& b, In in, Out out) { out[0] = larger(b, in[0], in[1], Nan::loses); },
             .reduce = ReduceKind::max_num,
             .reorderable = true});
  table.add({.name = "fmin",
             .doc = "Element-wise minimum; NaNs are ignored where the other operand is a number.",
             .signatures = uniform_loops(all_codes, 2),
             .body = [](Builder& b, In in, Out out) { out[0] = smaller(b, in[0], in[1], Nan::loses); },
             .reduce = ReduceKind::min_num,
             .reorderable = true});
  table.add({.name = "clip",
             .doc = "Clip (limit) the values to an interval.",
             .signatures = uniform_loops(all_codes, 3),
             .body = [](Builder& b, In in, Out out) {
               out[0] = smaller(b, larger(b, in[0], in[1], Nan::wins), in[2], Nan::wins);
             }});
}

}  // namespace tessera::ops
