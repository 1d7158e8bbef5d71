// Builder's arithmetic: operations are expanded or simplified where possible, constants are computed, others appended.
#include <array>

#include "tessera/base/error.h"
#include "tessera/ir/builder.h"
#include "tessera/ir/builder_expand.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

Value Builder::unary(Opcode op, Value x) {
  const DType t = type(x);
  if (const auto expanded = expand_unary(*this, op, x)) return *expanded;
  invariant(info(op).operands == 1 && accepts(op, t), "ir: {} of {}", name(op), t);
  if (const auto known = fold_constants(*this, op, std::array{x})) return *known;
  if (const auto known = simplify_unary(*this, op, x)) return *known;
  return append({.op = op, .type = result_type(op, std::array{t})}, {x});
}

Value Builder::binary(Opcode op, Value x, Value y) {
  const DType t = type(x);
  invariant(type(y) == (op == Opcode::ldexp ? DType::int32 : t), "ir: {} of {} and {}", name(op), t, type(y));
  if (const auto expanded = expand_binary(*this, op, x, y)) return *expanded;
  invariant(info(op).operands == 2 && accepts(op, t), "ir: {} of {}", name(op), t);
  if (const auto known = fold_constants(*this, op, std::array{x, y})) return *known;
  if (const auto known = simplify_binary(*this, op, x, y)) return *known;
  return append({.op = op, .type = result_type(op, std::array{t, t})}, {x, y});
}

Value Builder::compare(Opcode op, Value x, Value y) { return binary(op, x, y); }

Value Builder::fma(Value x, Value y, Value z) {
  const DType t = type(x);
  invariant(type(y) == t && type(z) == t, "ir: fma of {}, {} and {}", t, type(y), type(z));
  if (is_floating(t) && itemsize(t) == 2) {
    return cast(fma(cast(x, DType::float32), cast(y, DType::float32), cast(z, DType::float32)), t);
  }
  invariant(accepts(Opcode::fma, t), "ir: fma of {}", t);
  if (const auto known = fold_constants(*this, Opcode::fma, std::array{x, y, z})) return *known;
  return append({.op = Opcode::fma, .type = t}, {x, y, z});
}

Value Builder::select(Value condition, Value x, Value y) {
  invariant(is_boolean(type(condition)) && type(x) == type(y), "ir: select of {}, {} and {}", type(condition), type(x),
            type(y));
  if (x == y) return x;
  if (const Scalar* known = constant_of(kernel_, condition)) return known->bytes[0] ? x : y;
  if (is_complex(type(x))) {
    return make_complex(select(condition, real(x), real(y)), select(condition, imag(x), imag(y)));
  }
  return append({.op = Opcode::select, .type = type(x)}, {condition, x, y});
}

Value Builder::cast(Value x, DType to) {
  const DType from = type(x);
  if (from == to) return x;
  if (const Scalar* known = constant_of(kernel_, x)) return constant(known->cast_to(to));
  if (const auto expanded = expand_cast(*this, x, to)) return *expanded;
  return append({.op = Opcode::cast, .type = to}, {x});
}

Value Builder::bitcast(Value x, DType to) {
  if (type(x) == to) return x;
  invariant(itemsize(type(x)) == itemsize(to), "ir: bitcast of {} to {}", type(x), to);
  return append({.op = Opcode::bitcast, .type = to}, {x});
}

Value Builder::make_complex(Value real, Value imag) {
  const DType t = type(real);
  invariant(t == type(imag) && (t == DType::float32 || t == DType::float64), "ir: make_complex of {} and {}", t,
            type(imag));
  return append({.op = Opcode::make_complex, .type = complex_dtype(t)}, {real, imag});
}

Value Builder::real(Value x) {
  if (!is_complex(type(x))) return x;
  if (kernel_.instructions[x].op == Opcode::make_complex) return kernel_.operands(x)[0];
  if (const Scalar* known = constant_of(kernel_, x)) return constant(part_of(*known, 0));
  return append({.op = Opcode::real, .type = real_dtype(type(x))}, {x});
}

Value Builder::imag(Value x) {
  if (!is_complex(type(x))) return zero_like(x);
  if (kernel_.instructions[x].op == Opcode::make_complex) return kernel_.operands(x)[1];
  if (const Scalar* known = constant_of(kernel_, x)) return constant(part_of(*known, 1));
  return append({.op = Opcode::imag, .type = real_dtype(type(x))}, {x});
}

}  // namespace tessera::ir
