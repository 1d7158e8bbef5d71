/// floor, ceil, trunc, rint.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::Value;

namespace {

/// Booleans and integers are returned unchanged.
template <Opcode op>
void round_body(Builder& b, In in, Out out) {
  Value x = in[0];
  DType t = b.type(x);
  if (is_complex(t)) {
    out[0] = b.make_complex(b.unary(op, b.real(x)), b.unary(op, b.imag(x)));
  } else {
    out[0] = is_floating(t) ? b.unary(op, x) : x;
  }
}

}  // namespace

void add_rounding(OpTable& table) {
  table.add({.name = "floor",
             .doc = "The largest integer not above x.",
             .signatures = uniform_loops("?bBhHiIlLefd", 1),
             .body = round_body<Opcode::floor>});
  table.add({.name = "ceil",
             .doc = "The smallest integer not below x.",
             .signatures = uniform_loops("?bBhHiIlLefd", 1),
             .body = round_body<Opcode::ceil>});
  table.add({.name = "trunc",
             .doc = "The integer next to x towards 0.",
             .signatures = uniform_loops("?bBhHiIlLefd", 1),
             .body = round_body<Opcode::trunc>});
  table.add({.name = "rint",
             .doc = "The nearest integer; halves go to the even one.",
             .signatures = uniform_loops(inexact_codes, 1),
             .body = round_body<Opcode::rint>});
}

}  // namespace tessera::ops
