/// Functions of a float's parts: copysign, nextafter, spacing, modf, frexp, ldexp, heaviside.
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

struct HalfFormat {
  int digits;        // of the fraction
  int min_exponent;  // of normal numbers
  double largest;
};

HalfFormat half_format(DType t) {
  return t == DType::float16 ? HalfFormat{10, -14, 65504.0} : HalfFormat{7, -126, 0x1.FEp127};
}

/// The distance from |x| to the next larger value of the half type, in float32 where it is exact.
Value half_step(Builder& b, Value x, const HalfFormat& format) {
  Value exponent = b.sub(b.unary(Opcode::frexp_exponent, x), b.constant(DType::int32, 1));
  exponent = b.max(exponent, b.constant(DType::int32, format.min_exponent));
  exponent = b.select(b.eq(x, b.zero_like(x)), b.constant(DType::int32, format.min_exponent), exponent);
  return b.binary(Opcode::ldexp, b.one_like(x), b.sub(exponent, b.constant(DType::int32, format.digits)));
}

void spacing_body(Builder& b, In in, Out out) {
  DType t = b.type(in[0]);
  if (!is_half(t)) {
    out[0] = b.unary(Opcode::spacing, in[0]);
    return;
  }
  HalfFormat format = half_format(t);
  Value x = b.cast(in[0], DType::float32);
  Value step = b.binary(Opcode::copysign, half_step(b, x, format), x);
  Value nan = b.constant(DType::float32, std::numeric_limits<double>::quiet_NaN());
  out[0] = b.cast(b.select(b.unary(Opcode::is_finite, x), step, nan), t);
}

void next_after_body(Builder& b, In in, Out out) {
  DType t = b.type(in[0]);
  if (!is_half(t)) {
    out[0] = b.binary(Opcode::next_after, in[0], in[1]);
    return;
  }
  HalfFormat format = half_format(t);
  Value x = b.cast(in[0], DType::float32), y = b.cast(in[1], DType::float32);
  Value zero = b.zero_like(x), magnitude = b.abs(x);
  Value step = half_step(b, x, format);
  // Towards zero from a power of two the numbers lie twice as close, down to the subnormals.
  Value at_power = b.eq(b.unary(Opcode::frexp_mantissa, magnitude), b.constant(DType::float32, 0.5));
  Value normal = b.gt(magnitude, b.binary(Opcode::ldexp, b.one_like(x), b.constant(DType::int32, format.min_exponent)));
  Value step_down = b.select(b.bit_and(at_power, normal), b.mul(step, b.constant(DType::float32, 0.5)), step);
  Value upwards = b.gt(y, x);
  Value outwards = b.bit_xor(upwards, b.lt(x, zero));
  Value moved = b.binary(Opcode::copysign, b.select(outwards, b.add(magnitude, step), b.sub(magnitude, step_down)), x);
  Value largest = b.binary(Opcode::copysign, b.constant(DType::float32, format.largest), x);
  moved = b.select(b.unary(Opcode::is_inf, x), largest, moved);
  moved = b.select(b.eq(x, zero), b.binary(Opcode::copysign, step, y), moved);
  moved = b.select(b.eq(x, y), y, moved);
  Value nan = b.bit_or(b.unary(Opcode::is_nan, x), b.unary(Opcode::is_nan, y));
  out[0] = b.cast(b.select(nan, b.add(x, y), moved), t);
}

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
             .doc = "Change the sign of x1 to that of x2, element-wise.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = binary_body<Opcode::copysign>});
  table.add({.name = "nextafter",
             .doc = "The next floating-point value after x1 towards x2, element-wise.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = next_after_body});
  table.add({.name = "spacing",
             .doc = "The distance between x and the nearest adjacent number.",
             .signatures = uniform_loops(floating_codes, 1),
             .body = spacing_body});
  table.add({.name = "modf",
             .doc = "The fractional and integral parts of an array, element-wise.",
             .signatures = uniform_loops(floating_codes, 1, 2),
             .body = modf_body});
  table.add({.name = "frexp",
             .doc = "Decompose the elements of x into mantissa and twos exponent.",
             .signatures = parse_loops("e->ei f->fi d->di"),
             .body = frexp_body});
  table.add({.name = "ldexp",
             .doc = "x1 * 2**x2, element-wise.",
             .signatures = parse_loops("ei->e fi->f el->e fl->f di->d dl->d"),
             .body = ldexp_body,
             .errors = ErrorRule::arithmetic});
  table.add({.name = "heaviside",
             .doc = "The Heaviside step function: 0 below zero, x2 at zero, 1 above.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = body_of<heaviside, 2>});
}

}  // namespace tessera::ops
