/// Functions on the representation of floats: copysign, nextafter, spacing, modf, frexp, ldexp, heaviside.
#include <limits>

#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::ErrorRule;
using ir::Opcode;
using ir::Value;

namespace {

void modf_body(Builder& b, In in, Out out) {
  DType t = b.type(in[0]);
  Value x = widen(b, in[0]);
  Value whole = b.unary(Opcode::trunc, x);
  Value fraction = b.select(b.unary(Opcode::is_inf, x), b.zero_like(x), b.sub(x, whole));
  out[0] = narrow(b, b.binary(Opcode::copysign, fraction, x), t);
  out[1] = narrow(b, whole, t);
}

void frexp_body(Builder& b, In in, Out out) {
  Value x = widen(b, in[0]);
  out[0] = narrow(b, b.unary(Opcode::frexp_mantissa, x), b.type(in[0]));
  out[1] = b.unary(Opcode::frexp_exponent, x);
}

/// A 64-bit exponent beyond int32 gives the same zero or infinity as the nearest int32.
void ldexp_body(Builder& b, In in, Out out) {
  Value x = widen(b, in[0]), exponent = in[1];
  if (b.type(exponent) == DType::int64) {
    exponent = b.max(exponent, b.constant(DType::int64, std::numeric_limits<int32_t>::min()));
    exponent = b.min(exponent, b.constant(DType::int64, std::numeric_limits<int32_t>::max()));
    exponent = b.cast(exponent, DType::int32);
  }
  out[0] = narrow(b, b.binary(Opcode::ldexp, x, exponent), b.type(in[0]));
}

Value heaviside(Builder& b, Value x, Value at_zero) {
  Value zero = b.zero_like(x);
  Value sides = b.select(b.lt(x, zero), zero, b.one_like(x));
  return b.select(b.unary(Opcode::is_nan, x), x, b.select(b.eq(x, zero), at_zero, sides));
}

}  // namespace

void add_floating(OpTable& table) {
  table.add({.name = "copysign",
             .doc = "x1 with the sign of x2, of zeros and NaNs too.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = binary_body<Opcode::copysign>});
  table.add({.name = "nextafter",
             .doc = "x1's neighbour among the numbers of its type on the way to x2.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = binary_body<Opcode::next_after>});
  table.add({.name = "spacing",
             .doc = "How far the next number of x's type away from 0 is, with x's sign.",
             .signatures = uniform_loops(floating_codes, 1),
             .body = unary_body<Opcode::spacing>});
  table.add({.name = "modf",
             .doc = "What is behind the point of x and what is before it, both with x's sign.",
             .signatures = uniform_loops(floating_codes, 1, 2),
             .body = modf_body});
  table.add({.name = "frexp",
             .doc = "The m in [0.5, 1) and the integer e with x = m * 2^e.",
             .signatures = parse_loops("e->ei f->fi d->di"),
             .body = frexp_body});
  table.add({.name = "ldexp",
             .doc = "x1 times 2 to the power of the integer x2, exactly where it fits.",
             .signatures = parse_loops("ei->e fi->f el->e fl->f di->d dl->d"),
             .body = ldexp_body,
             .errors = ErrorRule::arithmetic});
  table.add({.name = "heaviside",
             .doc = "The Heaviside step function: 0 below zero, x2 at zero, 1 above.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = body_of<heaviside, 2>});
}

}  // namespace tessera::ops
