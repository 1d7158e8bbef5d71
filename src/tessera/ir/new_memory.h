/// Memory that a kernel gets from the host while it runs.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// Instruction::imm of a call_host that allocates: its result is where the memory begins, in elements of a buffer whose
/// element 0 is at address 0. No parameter and no other result of such a call shares it.
inline constexpr uint32_t allocate = 0, allocate_zeros = 1;

inline bool is_new_memory(const Instruction& i) {
  return i.op == Opcode::call_host && (i.imm == allocate || i.imm == allocate_zeros);
}

}  // namespace tessera::ir
