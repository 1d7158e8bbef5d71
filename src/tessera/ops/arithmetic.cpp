/// add, subtract, multiply, divide and the unary arithmetic.
#include "tessera/base/error.h"
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::ErrorRule;
using ir::Opcode;
using ir::ReduceKind;
using ir::Value;

namespace {

void refuse_booleans(const Op&, std::span<DType> in) {
  require<TypeError>(
      promote(in[0], in[1]) != DType::boolean,
      "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
      "or the logical_xor function instead.");
}

void refuse_boolean(const Op&, std::span<DType> in) {
  require<TypeError>(in[0] != DType::boolean,
                     "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the "
                     "logical_not function instead.");
}

/// Integers of every width divide in float64.
void divide_in_float(const Op&, std::span<DType> in) {
  auto exact = [](DType t) { return is_integer(t) || is_boolean(t); };
  if (exact(in[0]) && exact(in[1])) in[0] = in[1] = DType::float64;
}

void add_body(Builder& b, In in, Out out) {
  out[0] = b.binary(is_boolean(b.type(in[0])) ? Opcode::bit_or : Opcode::add, in[0], in[1]);
}

void multiply_body(Builder& b, In in, Out out) {
  out[0] = b.binary(is_boolean(b.type(in[0])) ? Opcode::bit_and : Opcode::mul, in[0], in[1]);
}

void absolute_body(Builder& b, In in, Out out) {
  DType t = b.type(in[0]);
  out[0] = is_boolean(t) || is_unsigned_integer(t) ? in[0] : b.abs(in[0]);
}

/// Scales by the larger part, so that squares do not overflow.
Value complex_reciprocal(Builder& b, Value z) {
  Value re = b.real(z), im = b.imag(z), one = b.one_like(re);
  Value wide = b.ge(b.abs(re), b.abs(im));
  Value large = b.select(wide, re, im), small = b.select(wide, im, re);
  Value ratio = b.div(small, large);
  Value scale = b.add(large, b.mul(small, ratio));
  Value plain = b.div(one, scale), tilted = b.div(ratio, scale);
  return b.make_complex(b.select(wide, plain, tilted), b.neg(b.select(wide, tilted, plain)));
}

/// Integers are converted to float64, so that 1/0 converts as in NumPy.
void reciprocal_body(Builder& b, In in, Out out) {
  DType t = b.type(in[0]);
  DType work = is_integer(t) ? DType::float64 : t;
  Value x = b.cast(in[0], work);
  out[0] = b.cast(is_complex(t) ? complex_reciprocal(b, x) : b.div(b.one_like(x), x), t);
}

void add_binary(OpTable& table) {
  table.add({.name = "add",
             .doc = "x1 + x2.",
             .signatures = uniform_loops(all_codes, 2),
             .body = add_body,
             .errors = ErrorRule::arithmetic,
             .reduce = ReduceKind::add,
             .identity = 0,
             .reorderable = true});
  table.add({.name = "subtract",
             .doc = "x1 - x2.",
             .signatures = uniform_loops(number_codes, 2),
             .body = binary_body<Opcode::sub>,
             .resolve = refuse_booleans,
             .errors = ErrorRule::arithmetic});
  table.add({.name = "multiply",
             .doc = "x1 * x2.",
             .signatures = uniform_loops(all_codes, 2),
             .body = multiply_body,
             .errors = ErrorRule::arithmetic,
             .reduce = ReduceKind::mul,
             .identity = 1,
             .reorderable = true});
  table.add({.name = "divide",
             .doc = "x1 / x2; of integers float64.",
             .signatures = uniform_loops(inexact_codes, 2),
             .body = binary_body<Opcode::div>,
             .resolve = divide_in_float,
             .errors = ErrorRule::divide});
}

void add_unary(OpTable& table) {
  table.add({.name = "negative",
             .doc = "-x.",
             .signatures = uniform_loops(number_codes, 1),
             .body = unary_body<Opcode::neg>,
             .resolve = refuse_boolean});
  table.add({.name = "positive",
             .doc = "+x: the same number.",
             .signatures = uniform_loops(number_codes, 1),
             .body = [](Builder&, In in, Out out) { out[0] = in[0]; },
             .exact = true});
  table.add({.name = "absolute",
             .doc = "The distance from 0: x without its sign, of complex numbers the modulus.",
             .signatures = uniform_loops("?bBhHiIlLefd", 1) + parse_loops("F->f D->d"),
             .body = absolute_body,
             .errors = ErrorRule::arithmetic});
  table.add({.name = "fabs",
             .doc = "x without its sign, as a floating-point number.",
             .signatures = uniform_loops(floating_codes, 1),
             .body = unary_body<Opcode::abs>});
  table.add({.name = "sign",
             .doc = "The sign of each number: -1, 0 or 1; for complex numbers x / |x|.",
             .signatures = uniform_loops(number_codes, 1),
             .body = unary_body<Opcode::sign>,
             .exact = true});
  table.add({.name = "square",
             .doc = "The square of the input, element-wise.",
             .signatures = uniform_loops(number_codes, 1),
             .body = [](Builder& b, In in, Out out) { out[0] = b.mul(in[0], in[0]); },
             .errors = ErrorRule::arithmetic});
  table.add({.name = "reciprocal",
             .doc = "1 / x; of integers cut towards 0.",
             .signatures = uniform_loops(number_codes, 1),
             .body = reciprocal_body,
             .errors = ErrorRule::pole});
}

}  // namespace

void add_arithmetic(OpTable& table) {
  add_binary(table);
  add_unary(table);
}

}  // namespace tessera::ops
