/// Parts: a complex value as two real ones, and the few operations the complex functions are written in.
#pragma once

#include "tessera/ir/builder.h"

namespace tessera::ops {

/// Real arithmetic on the components of complex values, in the width of z.
struct Parts {
  ir::Builder& b;
  ir::Value re, im;

  Parts(ir::Builder& builder, ir::Value z) : b(builder), re(builder.real(z)), im(builder.imag(z)) {}

  DType type() const { return b.type(re); }
  bool is_double() const { return type() == DType::float64; }
  ir::Value number(double value) const { return b.constant(type(), value); }
  /// The one of two constants that fits the width.
  ir::Value number(double for_float32, double for_float64) const { return number(is_double() ? for_float64 : for_float32); }
  ir::Value infinity() const { return number(__builtin_inf()); }
  ir::Value nan() const { return number(__builtin_nan("")); }
  ir::Value unary(ir::Opcode op, ir::Value x) const { return b.unary(op, x); }
  ir::Value sign_of(ir::Value magnitude, ir::Value sign) const { return b.binary(ir::Opcode::copysign, magnitude, sign); }
  ir::Value is_nan(ir::Value x) const { return b.unary(ir::Opcode::is_nan, x); }
  ir::Value is_inf(ir::Value x) const { return b.unary(ir::Opcode::is_inf, x); }
  ir::Value is_finite(ir::Value x) const { return b.unary(ir::Opcode::is_finite, x); }
  ir::Value is_zero(ir::Value x) const { return b.eq(x, b.zero_like(x)); }
};

}  // namespace tessera::ops
