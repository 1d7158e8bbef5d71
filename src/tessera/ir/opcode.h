/// OpcodeInfo: static facts about each opcode, shared by builder, verifier, printer and executions.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

inline constexpr int opcode_count = static_cast<int>(Opcode::check) + 1;

/// The category of an opcode; only arithmetic, predicate, comparison and conversion opcodes are pure functions of their
/// operands.
enum class OpcodeForm : uint8_t { leaf, arithmetic, predicate, comparison, conversion, memory, control };

/// The operand types of an arithmetic opcode; arithmetic on half, complex (and mostly boolean) types is expanded
/// earlier.
enum class OpcodeDomain : uint8_t { none, floats, numbers, integers, bits, any_real };

struct OpcodeInfo {
  Opcode op;
  std::string_view name;
  OpcodeForm form;
  OpcodeDomain domain;
  int8_t operands;  // -1: variable
};

const OpcodeInfo& info(Opcode op);

/// Whether the domain of op holds this operand type.
bool accepts(Opcode op, DType operand);
/// The result of a pure opcode other than cast and bitcast on operands of these types.
DType result_type(Opcode op, std::span<const DType> operands);

/// Whether op is a function of its operands alone, so that it may be repeated, merged or dropped.
bool is_pure(Opcode op);
inline bool has_regions(Opcode op) {
  return op == Opcode::if_ || op == Opcode::for_ || op == Opcode::while_ || op == Opcode::reduce;
}
/// Whether op is printed with a type: that of its result, or of the value it stores or checks.
inline bool has_type(Opcode op) {
  return op != Opcode::yield && op != Opcode::barrier && op != Opcode::grid_barrier && op != Opcode::warp_barrier &&
         op != Opcode::fence && op != Opcode::pause;
}
/// Whether op uses Instruction::imm.
bool has_immediate(Opcode op);
/// Whether op is a meeting point of a block's or of a warp's lanes.
inline bool is_meeting(Opcode op) { return op >= Opcode::barrier && op <= Opcode::active_mask; }
/// Whether a lane can observe other lanes through op: arrays, atomics, votes, shuffles, barriers and other code.
inline bool sees_other_lanes(Opcode op) {
  switch (op) {
    case Opcode::load_array:
    case Opcode::store_array:
    case Opcode::atomic:
    case Opcode::atomic_array:
    case Opcode::address:
    case Opcode::address_array:
    case Opcode::call_host:
    case Opcode::call_foreign:
    case Opcode::call:
    case Opcode::fence:
    case Opcode::pause: return true;
    default: return is_meeting(op);
  }
}
inline bool is_comparison(Opcode op) { return op >= Opcode::eq && op <= Opcode::ge; }

std::string_view name(ReduceKind kind);
std::string_view name(ReduceOrder order);
std::string_view name(AtomicKind kind);
std::string_view name(ShuffleKind kind);
std::string_view name(FenceScope scope);
std::string_view name(CacheHint hint);
std::string_view name(ErrorRule rule);
std::string_view name(InnerStride inner);

}  // namespace tessera::ir
