/// bitwise_and, bitwise_or, bitwise_xor, invert, shifts and bitwise_count.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;
using ir::ReduceKind;

namespace {

constexpr std::string_view bit_codes = "?bBhHiIlL";

void count_body(Builder& b, In in, Out out) {
  DType t = b.type(in[0]);
  out[0] = b.cast(b.unary(Opcode::popcount, is_signed_integer(t) ? b.abs(in[0]) : in[0]), DType::uint8);
}

}  // namespace

void add_bitwise(OpTable& table) {
  table.add({.name = "bitwise_and",
             .doc = "x1 & x2: the bits that both have.",
             .signatures = uniform_loops(bit_codes, 2),
             .body = binary_body<Opcode::bit_and>,
             .reduce = ReduceKind::bit_and,
             .identity = -1,
             .reorderable = true});
  table.add({.name = "bitwise_or",
             .doc = "x1 | x2: the bits that either has.",
             .signatures = uniform_loops(bit_codes, 2),
             .body = binary_body<Opcode::bit_or>,
             .reduce = ReduceKind::bit_or,
             .identity = 0,
             .reorderable = true});
  table.add({.name = "bitwise_xor",
             .doc = "x1 ^ x2: the bits that one of both has.",
             .signatures = uniform_loops(bit_codes, 2),
             .body = binary_body<Opcode::bit_xor>,
             .reduce = ReduceKind::bit_xor,
             .identity = 0,
             .reorderable = true});
  table.add({.name = "invert",
             .doc = "~x: every bit the other way; of booleans their opposite.",
             .signatures = uniform_loops(bit_codes, 1),
             .body = unary_body<Opcode::bit_not>});
  table.add({.name = "left_shift",
             .doc = "x1 << x2: the bits moved up, with zeros behind; 0 where all leave.",
             .signatures = uniform_loops(integer_codes, 2),
             .body = binary_body<Opcode::shift_left>,
             .samples = {0, 8}});
  table.add({.name = "right_shift",
             .doc = "x1 >> x2: the bits moved down, with copies of the sign before them.",
             .signatures = uniform_loops(integer_codes, 2),
             .body = binary_body<Opcode::shift_right>,
             .samples = {0, 8}});
  table.add({.name = "bitwise_count",
             .doc = "How many bits of |x| are 1.",
             .signatures = loops_to(DType::uint8, integer_codes, 1),
             .body = count_body});
}

}  // namespace tessera::ops
