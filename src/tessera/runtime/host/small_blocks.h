/// SmallBlocks: per-thread free lists for blocks up to 32 KiB.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::runtime {

/// Every block has room for a 64-byte header before its data, so a Buffer and its elements are one allocation.
namespace small_blocks {

inline constexpr size_t header_size = 64;
inline constexpr size_t largest = size_t{32} << 10;

struct Counts {
  int64_t bytes_in_use = 0;
  int64_t bytes_cached = 0;
  int64_t allocations = 0;
  int64_t reuses = 0;
};

/// Makes the calling thread's free lists, which its first block does otherwise.
void join() noexcept;
/// The capacity of the size class that serves nbytes <= largest.
size_t capacity_for(size_t nbytes);
/// A block of header_size + capacity bytes aligned to 64, or null when the system has no memory. capacity must be that
/// of a class.
void* take(size_t capacity) noexcept;
/// Returns a block to the calling thread's free lists.
void give(void* block, size_t capacity) noexcept;
/// Frees the blocks that the calling thread caches.
void trim() noexcept;
/// Sums over all threads.
Counts counts();
/// Held across fork so that no thread is in the middle of joining or leaving the registry.
void lock_registry();
void unlock_registry();

}  // namespace small_blocks
}  // namespace tessera::runtime
