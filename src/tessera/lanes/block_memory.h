/// Memory of blocks whose lanes keep more than a stack holds: compiled code takes and gives it back in order.
#pragma once

#include <cstdint>

namespace tessera::lanes {

/// `bytes` at a multiple of 64, this thread's until given back; contents undefined.
void* take_block_memory(int64_t bytes) noexcept;
/// Gives back the last `count` pieces that this thread took.
void give_block_memory(int64_t count) noexcept;
/// The pieces that this thread has and has not given back.
int64_t taken_block_memory() noexcept;

}  // namespace tessera::lanes
