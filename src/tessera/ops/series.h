/// Polynomials as op bodies, and bodies that compute in float64 for every operand type.
#pragma once

#include <initializer_list>
#include <iterator>

#include "tessera/ir/builder.h"

namespace tessera::ops {

inline ir::Value number(ir::Builder& b, ir::Value like, double value) { return b.constant(b.type(like), value); }

/// Horner's rule; coefficients start with the lowest.
inline ir::Value horner(ir::Builder& b, ir::Value x, std::initializer_list<double> coefficients) {
  ir::Value sum = number(b, x, *std::rbegin(coefficients));
  for (auto c = std::next(std::rbegin(coefficients)); c != std::rend(coefficients); ++c) {
    sum = b.fma(x, sum, number(b, x, *c));
  }
  return sum;
}

/// Evaluates f(builder, operand...) on operands cast to float64 and casts the value back, so float32 results round
/// once.
template <auto f>
ir::Value in_double(ir::Builder& b, ir::Value x) {
  return b.cast(f(b, b.cast(x, DType::float64)), b.type(x));
}
template <auto f>
ir::Value pair_in_double(ir::Builder& b, ir::Value x, ir::Value y) {
  return b.cast(f(b, b.cast(x, DType::float64), b.cast(y, DType::float64)), b.type(x));
}

}  // namespace tessera::ops
