/// OpcodeInfo: the static facts about each opcode that builder, verifier, printer and executions share.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

inline constexpr int opcode_count = static_cast<int>(Opcode::check) + 1;

/// How an opcode computes; only arithmetic, predicate, comparison and conversion opcodes are pure functions of
/// operands.
enum class OpcodeForm : uint8_t { leaf, arithmetic, predicate, comparison, conversion, memory, control };

/// Operand types an arithmetic opcode takes; arithmetic on half, complex (and mostly boolean) types is expanded before.
enum class OpcodeDomain : uint8_t { none, floats, numbers, integers, bits, any_real };

struct OpcodeInfo {
  Opcode op;
  std::string_view name;
  OpcodeForm form;
  OpcodeDomain domain;
  int8_t operands;  // -1: varies
};

const OpcodeInfo& info(Opcode op);

/// Whether the domain of op holds this operand type.
bool accepts(Opcode op, DType operand);
/// The result of a pure opcode other than cast and bitcast on operands of these types.
DType result_type(Opcode op, std::span<const DType> operands);

/// A function of its operands alone: may be repeated, merged or dropped.
bool is_pure(Opcode op);
inline bool has_regions(Opcode op) {
  return op == Opcode::if_ || op == Opcode::for_ || op == Opcode::while_ || op == Opcode::reduce;
}
/// Whether op has a type to print: that of its result, or of what it stores or checks.
inline bool has_type(Opcode op) { return op != Opcode::yield && op != Opcode::barrier && op != Opcode::warp_barrier; }
/// Whether Instruction::imm means something for op.
bool has_immediate(Opcode op);
/// Whether a lane may see by it what others do: by arrays, atomics, votes and barriers.
inline bool sees_other_lanes(Opcode op) {
  switch (op) {
    case Opcode::load_array:
    case Opcode::store_array:
    case Opcode::atomic:
    case Opcode::atomic_array:
    case Opcode::barrier:
    case Opcode::warp_barrier:
    case Opcode::ballot:
    case Opcode::match_byte: return true;
    default: return false;
  }
}
inline bool is_comparison(Opcode op) { return op >= Opcode::eq && op <= Opcode::ge; }

std::string_view name(ReduceKind kind);
std::string_view name(ReduceOrder order);
std::string_view name(AtomicKind kind);
std::string_view name(ErrorRule rule);
std::string_view name(InnerStride inner);

}  // namespace tessera::ir
