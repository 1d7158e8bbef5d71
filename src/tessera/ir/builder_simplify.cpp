#include "tessera/ir/builder_expand.h"

#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

bool same_bits(const Scalar& s, double value) { return s == Scalar::of_float(DType::float64, value).cast_to(s.dtype); }

// The value of a constant operand on either side of a commutative operation.
struct Sides {
  const Scalar* left;
  const Scalar* right;
};

std::optional<Value> simplify_float(Opcode op, Value x, Value y, Sides c) {
  switch (op) {
    // x + (-0) and x - (+0) preserve the sign of a zero; x + (+0) does not.
    case Opcode::add:
      if (c.right && same_bits(*c.right, -0.0)) return x;
      if (c.left && same_bits(*c.left, -0.0)) return y;
      return std::nullopt;
    case Opcode::sub:
      if (c.right && same_bits(*c.right, 0.0)) return x;
      return std::nullopt;
    case Opcode::mul:
      if (c.right && same_bits(*c.right, 1)) return x;
      if (c.left && same_bits(*c.left, 1)) return y;
      return std::nullopt;
    case Opcode::div:
      if (c.right && same_bits(*c.right, 1)) return x;
      return std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<Value> simplify_integer(Builder& b, Opcode op, Value x, Value y, Sides c) {
  switch (op) {
    case Opcode::add:
    case Opcode::bit_or:
    case Opcode::bit_xor:
      if (c.right && same_bits(*c.right, 0)) return x;
      if (c.left && same_bits(*c.left, 0)) return y;
      return std::nullopt;
    case Opcode::sub:
    case Opcode::shift_left:
    case Opcode::shift_right:
      if (c.right && same_bits(*c.right, 0)) return x;
      return std::nullopt;
    case Opcode::mul:
      if (c.right && same_bits(*c.right, 1)) return x;
      if (c.left && same_bits(*c.left, 1)) return y;
      if ((c.right && same_bits(*c.right, 0)) || (c.left && same_bits(*c.left, 0))) return b.zero_like(x);
      return std::nullopt;
    case Opcode::div:
    case Opcode::floor_div:
      if (c.right && same_bits(*c.right, 1)) return x;
      return std::nullopt;
    case Opcode::bit_and:
      if ((c.right && same_bits(*c.right, 0)) || (c.left && same_bits(*c.left, 0))) return b.zero_like(x);
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Value> simplify_unary(Builder& b, Opcode op, Value x) {
  const Instruction& inner = b.kernel().instructions[x];
  const bool undone =
      (op == Opcode::neg && inner.op == Opcode::neg) || (op == Opcode::bit_not && inner.op == Opcode::bit_not);
  if (undone) return b.kernel().operands(x)[0];
  return std::nullopt;
}

std::optional<Value> simplify_binary(Builder& b, Opcode op, Value x, Value y) {
  const Sides c{constant_of(b.kernel(), x), constant_of(b.kernel(), y)};
  if (x == y) {
    if (op == Opcode::min || op == Opcode::max || op == Opcode::min_num || op == Opcode::max_num) return x;
    if (op == Opcode::bit_and || op == Opcode::bit_or) return x;
  }
  if (!c.left && !c.right) return std::nullopt;
  return is_floating(b.type(x)) ? simplify_float(op, x, y, c) : simplify_integer(b, op, x, y, c);
}

}  // namespace tessera::ir
