/// Building blocks for op bodies: single primitives, and arithmetic that half types do in float32.
#pragma once

#include <span>
#include <utility>

#include "tessera/ir/builder.h"

namespace tessera::ops {

using In = std::span<const ir::Value>;
using Out = std::span<ir::Value>;

inline bool is_half(DType t) { return t == DType::float16 || t == DType::bfloat16; }

/// The body made of one primitive with one operand.
template <ir::Opcode op>
void unary_body(ir::Builder& b, In in, Out out) {
  out[0] = b.unary(op, in[0]);
}

/// The body made of one primitive with two operands.
template <ir::Opcode op>
void binary_body(ir::Builder& b, In in, Out out) {
  out[0] = b.binary(op, in[0], in[1]);
}

/// Converts half types to float32 and leaves others unchanged, so that a body of several steps rounds to half only
/// once.
inline ir::Value widen(ir::Builder& b, ir::Value x) { return is_half(b.type(x)) ? b.cast(x, DType::float32) : x; }
inline ir::Value narrow(ir::Builder& b, ir::Value x, DType to) { return b.type(x) == to ? x : b.cast(x, to); }

/// Evaluates f(builder, operand...) on widened operands and rounds the result to the type of the first operand.
template <class F, size_t... I>
ir::Value widened(ir::Builder& b, In in, F f, std::index_sequence<I...>) {
  return narrow(b, f(b, widen(b, in[I])...), b.type(in[0]));
}

/// Makes a BodyFn from a captureless function of Values; half operands are widened around it.
template <auto f, size_t nin>
void body_of(ir::Builder& b, In in, Out out) {
  out[0] =
      widened(b, in, [](ir::Builder& builder, auto... x) { return f(builder, x...); }, std::make_index_sequence<nin>{});
}

inline ir::Value logical_not(ir::Builder& b, ir::Value x) { return b.bit_not(x); }
/// x != 0, NumPy's truth value of an element.
inline ir::Value truth(ir::Builder& b, ir::Value x) {
  return is_boolean(b.type(x)) ? x : b.ne(widen(b, x), b.zero_like(widen(b, x)));
}

}  // namespace tessera::ops
