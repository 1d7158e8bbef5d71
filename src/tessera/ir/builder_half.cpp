#include "tessera/base/error.h"
#include "tessera/ir/builder_expand.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

struct HalfFormat {
  DType type;
  int mantissa_bits;
  int infinity;  // bit pattern
};

HalfFormat format_of(DType t) {
  if (t == DType::float16) return {t, 10, 0x7C00};
  return {t, 7, 0x7F80};
}

Value bits16(Builder& b, int value) { return b.constant(Scalar::of_int(DType::int16, static_cast<int16_t>(value))); }

// One step from x towards y in the 16-bit format: bit patterns of one sign are ordered as their magnitudes.
Value half_next_after(Builder& b, Value x, Value y) {
  const HalfFormat f = format_of(b.type(x));
  const Value wide_x = b.cast(x, DType::float32);
  const Value wide_y = b.cast(y, DType::float32);
  const Value bits = b.bitcast(x, DType::int16);
  const Value negative = b.lt(bits, bits16(b, 0));
  const Value away = b.bit_xor(b.gt(wide_y, wide_x), negative);
  const Value stepped = b.select(away, b.add(bits, bits16(b, 1)), b.sub(bits, bits16(b, 1)));
  const Value is_zero = b.eq(wide_x, b.zero_like(wide_x));
  const Value smallest = b.select(b.gt(wide_y, wide_x), bits16(b, 1), bits16(b, 0x8001));
  Value result = b.bitcast(b.select(is_zero, smallest, stepped), f.type);
  result = b.select(b.eq(wide_x, wide_y), y, result);
  const Value any_nan = b.bit_or(b.unary(Opcode::is_nan, wide_x), b.unary(Opcode::is_nan, wide_y));
  return b.select(any_nan, b.constant(f.type, __builtin_nan("")), result);
}

// float16: the distance to the next larger value, as in NumPy; bfloat16: the distance to the neighbour away from zero,
// with the sign of x. NaN on infinities. For both float16 zeros it is the smallest positive number.
Value half_spacing(Builder& b, Value x) {
  const HalfFormat f = format_of(b.type(x));
  const Value wide = b.cast(x, DType::float32);
  const Value is_zero = b.eq(wide, b.zero_like(wide));
  Value bits = b.bitcast(x, DType::int16), step = bits16(b, 1);
  if (f.type == DType::float16) {
    bits = b.select(is_zero, bits16(b, 0), bits);
    step = b.select(b.lt(bits, bits16(b, 0)), bits16(b, -1), step);
  }
  const Value next = b.cast(b.bitcast(b.add(bits, step), f.type), DType::float32);
  // Infinity minus infinity, and the step past the largest finite value, give NaN and infinity without special cases.
  const Value difference =
      b.select(b.unary(Opcode::is_inf, wide), b.constant(DType::float32, __builtin_nan("")), b.sub(next, wide));
  return b.cast(difference, f.type);
}

}  // namespace

Value half_unary(Builder& b, Opcode op, Value x) {
  const DType t = b.type(x);
  switch (op) {
    case Opcode::spacing: return half_spacing(b, x);
    case Opcode::neg: return b.bitcast(b.bit_xor(b.bitcast(x, DType::int16), bits16(b, 0x8000)), t);
    case Opcode::abs: return b.bitcast(b.bit_and(b.bitcast(x, DType::int16), bits16(b, 0x7FFF)), t);
    case Opcode::sign_bit: return b.lt(b.bitcast(x, DType::int16), bits16(b, 0));
    default: break;
  }
  invariant(info(op).operands == 1, "ir: {} of {}", name(op), t);
  const Value wide = b.unary(op, b.cast(x, DType::float32));
  return b.type(wide) == DType::float32 ? b.cast(wide, t) : wide;
}

Value half_binary(Builder& b, Opcode op, Value x, Value y) {
  const DType t = b.type(x);
  if (op == Opcode::next_after) return half_next_after(b, x, y);
  if (op == Opcode::copysign) {
    const Value magnitude = b.bit_and(b.bitcast(x, DType::int16), bits16(b, 0x7FFF));
    const Value sign = b.bit_and(b.bitcast(y, DType::int16), bits16(b, 0x8000));
    return b.bitcast(b.bit_or(magnitude, sign), t);
  }
  const Value wide_y = op == Opcode::ldexp ? y : b.cast(y, DType::float32);
  const Value wide = b.binary(op, b.cast(x, DType::float32), wide_y);
  return b.type(wide) == DType::float32 ? b.cast(wide, t) : wide;
}

}  // namespace tessera::ir
