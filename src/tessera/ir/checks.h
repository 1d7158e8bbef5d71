/// CheckCall: what a kernel that is checked for races tells the host by Opcode::call_host while it runs.
#pragma once

#include <cstdint>

namespace tessera::ir {

/// The first operand is the lane, and from bit 32 on the number of the place in the source. Accesses go on with the
/// indices of the element, writes before them with the bits of what is stored.
enum class CheckCall : uint32_t {
  read_buffer,
  reread_buffer,  // of what others store meanwhile
  write_buffer,
  atomic_buffer,
  read_array,
  write_array,
  atomic_array,
  barrier,
  grid_barrier,  // behind it
  warp_barrier,
  fence,  // before it
  returned,
  end,  // of the kernel's text, which lanes that have returned reach, too
};

constexpr uint32_t check_bits = 4;
/// Instruction::imm of a call; accesses name their buffer or array.
constexpr uint32_t check_number(CheckCall call, uint32_t of = 0) {
  return static_cast<uint32_t>(call) | of << check_bits;
}
constexpr CheckCall check_of(uint32_t number) { return static_cast<CheckCall>(number & ((1 << check_bits) - 1)); }

/// A lane is the number of its block, in C order, times 1024, and its own in the block.
constexpr int lane_bits = 10, site_shift = 32;

}  // namespace tessera::ir
