/// The largest measured errors of the math library's functions; docs/math.md describes the method.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::math {

/// Units in the last place relative to the exact result; 0.5 is correctly rounded.
struct Accuracy {
  ir::Opcode op;
  float f32, f64;
};

inline constexpr Accuracy accuracies[] = {
    {ir::Opcode::exp, 0.81f, 0.89f},    {ir::Opcode::exp2, 0.87f, 0.87f},   {ir::Opcode::expm1, 0.87f, 0.95f},
    {ir::Opcode::log, 0.86f, 0.80f},    {ir::Opcode::log2, 0.52f, 0.70f},   {ir::Opcode::log10, 0.52f, 0.65f},
    {ir::Opcode::log1p, 0.52f, 0.89f},  {ir::Opcode::sin, 0.51f, 0.80f},    {ir::Opcode::cos, 0.52f, 0.80f},
    {ir::Opcode::tan, 0.51f, 1.05f},    {ir::Opcode::asin, 0.63f, 0.80f},   {ir::Opcode::acos, 0.63f, 0.80f},
    {ir::Opcode::atan, 0.54f, 0.75f},   {ir::Opcode::sinh, 0.51f, 0.85f},   {ir::Opcode::cosh, 0.51f, 1.25f},
    {ir::Opcode::tanh, 0.97f, 0.75f},   {ir::Opcode::asinh, 0.52f, 1.00f},  {ir::Opcode::acosh, 0.52f, 1.00f},
    {ir::Opcode::atanh, 0.52f, 0.65f},  {ir::Opcode::erf, 1.00f, 0.95f},    {ir::Opcode::erfc, 0.51f, 1.45f},
    {ir::Opcode::tgamma, 0.51f, 4.00f}, {ir::Opcode::lgamma, 0.51f, 3.20f}, {ir::Opcode::cbrt, 0.54f, 0.51f},
    {ir::Opcode::sqrt, 0.5f, 0.5f},     {ir::Opcode::pow, 0.51f, 0.80f},    {ir::Opcode::hypot, 0.51f, 0.51f},
    {ir::Opcode::atan2, 0.54f, 0.75f},
};

/// Opcodes that are not listed give 0.5: they are exact or correctly rounded.
constexpr float max_ulp(ir::Opcode op, DType type) {
  for (const Accuracy& a : accuracies) {
    if (a.op == op) return type == DType::float64 ? a.f64 : a.f32;
  }
  return 0.5f;
}

}  // namespace tessera::math
