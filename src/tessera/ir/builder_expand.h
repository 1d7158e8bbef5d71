/// Builder's rewrites: expansion of complex, half and boolean arithmetic, constant folding, and identities.
#pragma once

#include <optional>

#include "tessera/ir/builder.h"

namespace tessera::ir {

/// The value of a constant instruction, or null.
const Scalar* constant_of(const Kernel& kernel, Value v);
/// Real (0) or imaginary (1) part of a complex constant.
Scalar part_of(const Scalar& complex, int part);

/// Expands op on complex, half and boolean (and for rounding functions integer) operands; empty when the IR has op
/// itself.
std::optional<Value> expand_unary(Builder& b, Opcode op, Value x);
std::optional<Value> expand_binary(Builder& b, Opcode op, Value x, Value y);
std::optional<Value> expand_cast(Builder& b, Value x, DType to);

/// The result of op on constants, as a constant; empty unless all operands are constant.
std::optional<Value> fold_constants(Builder& b, Opcode op, std::span<const Value> operands);
/// A value that is bit-identical to op on these operands and needs no instruction; empty when there is none.
std::optional<Value> simplify_unary(Builder& b, Opcode op, Value x);
std::optional<Value> simplify_binary(Builder& b, Opcode op, Value x, Value y);

/// Operand types are complex64 or complex128.
Value complex_unary(Builder& b, Opcode op, Value x);
Value complex_binary(Builder& b, Opcode op, Value x, Value y);
Value complex_compare(Builder& b, Opcode op, Value x, Value y);
/// The functions of a complex variable, with C99's special values.
Value complex_function(Builder& b, Opcode op, Value x);
Value complex_power(Builder& b, Value x, Value y);
Value complex_sqrt(Builder& b, Value x);
Value complex_asin(Builder& b, Value x);
Value complex_acos(Builder& b, Value x);
Value complex_atanh(Builder& b, Value x);

/// Operand types are float16 or bfloat16.
Value half_unary(Builder& b, Opcode op, Value x);
Value half_binary(Builder& b, Opcode op, Value x, Value y);

}  // namespace tessera::ir
