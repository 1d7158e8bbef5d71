/// CheckCall: what a kernel that is checked for races tells the host by Opcode::call_host while it runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::ir {

/// The first operand is the lane, and from bit 32 on the number of the place in the source. Accesses go on with the
/// indices of the element, writes before them with the bits of what is stored. A barrier has a second operand, which is
/// the first one without the lane's own number in the block.
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
  read_settled_array,  // which nothing writes between the barriers around it
  block_barrier,       // of compiled code: all lanes of the block have come to a barrier
  failed,              // an exception ends the launch: the call does not return
};

constexpr uint32_t check_bits = 4;
/// Instruction::imm of a call; accesses name their buffer or array.
constexpr uint32_t check_number(CheckCall call, uint32_t of = 0) {
  return static_cast<uint32_t>(call) | of << check_bits;
}
constexpr CheckCall check_of(uint32_t number) { return static_cast<CheckCall>(number & ((1 << check_bits) - 1)); }

/// A lane is the number of its block, in C order, times 1024, and its own in the block.
constexpr int lane_bits = 10, site_shift = 32;

/// What a lane has done; its times are those of the last barriers.
struct CheckLane {
  uint32_t grid_time = 0, block_time = 0, warp_time = 0;
  uint32_t barriers = 0, grid_barriers = 0, warp_barriers = 0;
  uint32_t site = 0;  // of its last access
  bool has_returned = false;
};

/// The first lane that came to a barrier.
struct CheckArrival {
  uint32_t site, lane, time;
};

/// Who accessed an element last: words of a lane and, from bit 32 on, a time, of which 0 means never.
struct CheckCell {
  uint64_t value;  // that the writer stored
  uint64_t writer, atomic, reader, other_reader;
  uint16_t writer_site, atomic_site, reader_site, other_site;
};

/// The cells of a buffer whose elements have one each: of an element that is so many bytes from the first, the one of
/// number (offset + bytes) >> shift.
struct CheckBuffer {
  CheckCell* cells = nullptr;
  int64_t offset = 0;
  uint32_t shift = 0;
  bool has_cells = false;
  bool may_be_unset = false;  // what is read there may be what new arrays hold
};

/// What KernelArguments::host_context of a checked launch begins with: compiled code compares marks itself, and calls
/// the host only where they are not plainly in order.
struct CheckState {
  static constexpr uint32_t no_block = ~uint32_t{0};
  void* owner = nullptr;                       // of the state, on the host
  uint32_t block_mask = ~0u, lane_mask = ~0u;  // both 0 where lanes do not meet: all have one record
  uint32_t block = no_block;                   // whose lanes and cells these are
  uint32_t begin = 0;                          // the time when it began
  CheckLane* lanes = nullptr;
  CheckCell* cells = nullptr;  // of shared arrays of known size, one after the other
  const CheckArrival* arrivals = nullptr;
  uint64_t arrival_count = 0;
  const bool* tells = nullptr;           // whether the host wants to know of reads, of each buffer that is only read
  const CheckBuffer* buffers = nullptr;  // all of them
  int64_t* unset = nullptr;              // elements of each array that nothing was written to in this block
};

}  // namespace tessera::ir
