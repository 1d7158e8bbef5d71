#include "tessera/ir/builder_expand.h"

#include <cstring>

#include "tessera/base/error.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

bool is_half(DType t) { return is_floating(t) && itemsize(t) == 2; }

// As in NumPy, booleans add as `or` and multiply as `and`.
std::optional<Opcode> boolean_opcode(Opcode op) {
  switch (op) {
    case Opcode::add:
    case Opcode::max:
    case Opcode::max_num: return Opcode::bit_or;
    case Opcode::mul:
    case Opcode::min:
    case Opcode::min_num: return Opcode::bit_and;
    default: return std::nullopt;
  }
}

}  // namespace

const Scalar* constant_of(const Kernel& kernel, Value v) {
  const Instruction& i = kernel.instructions[v];
  return i.op == Opcode::constant ? &kernel.constants[i.imm] : nullptr;
}

Scalar part_of(const Scalar& complex, int part) {
  Scalar result;
  result.dtype = real_dtype(complex.dtype);
  const int64_t size = itemsize(result.dtype);
  std::memcpy(result.bytes, complex.bytes + part * size, size);
  return result;
}

std::optional<Value> expand_unary(Builder& b, Opcode op, Value x) {
  const DType t = b.type(x);
  if (is_complex(t)) return complex_unary(b, op, x);
  if (is_half(t)) return half_unary(b, op, x);
  if (!is_boolean(t) && !is_integer(t)) return std::nullopt;
  switch (op) {
    case Opcode::floor:
    case Opcode::ceil:
    case Opcode::trunc:
    case Opcode::rint: return x;
    case Opcode::is_nan:
    case Opcode::is_inf: return b.constant(Scalar::of_bool(false));
    case Opcode::is_finite: return b.constant(Scalar::of_bool(true));
    case Opcode::sign_bit: return is_signed_integer(t) ? b.lt(x, b.zero_like(x)) : b.constant(Scalar::of_bool(false));
    case Opcode::abs:
      if (!is_signed_integer(t)) return x;
      return std::nullopt;
    case Opcode::sign:
      if (is_boolean(t)) return x;
      return std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<Value> expand_binary(Builder& b, Opcode op, Value x, Value y) {
  const DType t = b.type(x);
  if (is_complex(t)) return is_comparison(op) ? complex_compare(b, op, x, y) : complex_binary(b, op, x, y);
  if (is_half(t)) return half_binary(b, op, x, y);
  if (is_boolean(t)) {
    if (const auto replaced = boolean_opcode(op)) return b.binary(*replaced, x, y);
  }
  if (is_integer(t) && op == Opcode::min_num) return b.min(x, y);
  if (is_integer(t) && op == Opcode::max_num) return b.max(x, y);
  return std::nullopt;
}

std::optional<Value> expand_cast(Builder& b, Value x, DType to) {
  const DType from = b.type(x);
  if (is_complex(from)) {
    if (is_complex(to)) return b.make_complex(b.cast(b.real(x), real_dtype(to)), b.cast(b.imag(x), real_dtype(to)));
    if (is_boolean(to)) return b.bit_or(b.cast(b.real(x), to), b.cast(b.imag(x), to));
    return b.cast(b.real(x), to);
  }
  if (is_complex(to)) {
    const Value real = b.cast(x, real_dtype(to));
    return b.make_complex(real, b.zero_like(real));
  }
  // Half types convert through float32, except that float64 converts to float16 directly to round once.
  const bool direct =
      from == DType::float32 || to == DType::float32 || (from == DType::float64 && to == DType::float16);
  if ((is_half(from) || is_half(to)) && !direct) return b.cast(b.cast(x, DType::float32), to);
  return std::nullopt;
}

Scalar identity(ReduceKind kind, DType type) {
  const DType real = real_dtype(type);
  const bool is_float = is_floating(real);
  const auto integer = [&](bool largest) {
    if (is_boolean(type)) return Scalar::of_bool(largest);
    const int bits = static_cast<int>(8 * itemsize(type));
    if (is_unsigned_integer(type)) return Scalar::of_uint(type, largest ? ~uint64_t{0} >> (64 - bits) : 0);
    const int64_t top = static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
    return Scalar::of_int(type, largest ? top : -top - 1);
  };
  const double infinity = __builtin_inf();
  switch (kind) {
    case ReduceKind::add:
    case ReduceKind::bit_or:
    case ReduceKind::bit_xor: return Scalar::of_float(DType::float64, 0).cast_to(type);
    case ReduceKind::mul: return Scalar::of_float(DType::float64, 1).cast_to(type);
    case ReduceKind::min:
    case ReduceKind::min_num:
      return is_float ? Scalar::of_float(DType::float64, infinity).cast_to(type) : integer(true);
    case ReduceKind::max:
    case ReduceKind::max_num:
      return is_float ? Scalar::of_float(DType::float64, -infinity).cast_to(type) : integer(false);
    case ReduceKind::bit_and:
      return is_boolean(type) ? Scalar::of_bool(true) : Scalar::of_int(DType::int64, -1).cast_to(type);
  }
  return {};
}

}  // namespace tessera::ir
