/// What kernels get from the host while they run and code knows more of: new memory, random numbers.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// Instruction::imm of a call_host that allocates: its result is where the memory begins, in elements of a buffer whose
/// element 0 is at address 0. No parameter and no other result of such a call shares it.
inline constexpr uint32_t allocate = 0, allocate_zeros = 1;

inline bool is_new_memory(const Instruction& i) {
  return i.op == Opcode::call_host && (i.imm == allocate || i.imm == allocate_zeros);
}

/// The same of one whose operands are the addresses of a function, double (*)(void*), and of its argument, and whose
/// result has the bits of what the function gives. Native code calls it itself.
inline constexpr uint32_t next_random = 31;

/// The same of a Mersenne twister, of which operands are the addresses of its words and of the place of the next one,
/// and whose it is: the bits of its next number from 0 to 1, and its next word. Native code draws itself as long as
/// words are left, and asks the host for what is behind them.
inline constexpr uint32_t twister_number = 38, twister_word = 39;
inline constexpr int twister_words = 624;

/// Of two calls: the first gives a mark, with which the second makes free again what was taken from KernelArguments'
/// arena in between. Nothing may read it afterwards.
inline constexpr uint32_t mark_arena = 32, release_arena = 33;

}  // namespace tessera::ir
