#include "tessera/runtime/host/large_blocks.h"

#include <algorithm>

#include "tessera/runtime/host/system_memory.h"

namespace tessera::runtime {

namespace {

constexpr size_t most_idle_blocks = 128;
constexpr int64_t allowance = int64_t{32} << 20;
/// Idle bytes kept while little is in use: mapping new pages costs several times as much as filling them, so a function
/// that is called repeatedly should reuse the memory of its last call.
int64_t idle_floor() {
  constexpr int64_t least = int64_t{256} << 20, part = 32;
  static const int64_t bytes = std::max(least, memory_limit() / part);
  return bytes;
}

/// The largest block that may serve a request: up to an eighth larger, or twice as large where page faults cost more
/// than memory.
size_t loosest_fit(size_t nbytes) { return nbytes <= size_t{1} << 20 ? 2 * nbytes : nbytes + nbytes / 8; }

}  // namespace

LargeBlocks::Block LargeBlocks::take(size_t nbytes, bool zeros) {
  size_t capacity = (nbytes + page_size - 1) / page_size * page_size;
  std::unique_lock lock(mutex_);
  Block block = zeros ? Block{} : take_idle(capacity);
  if (!block.data) {
    auto size = static_cast<int64_t>(capacity);
    int64_t footprint = std::max(peak_, in_use_ + size) + peak_ / 32 + allowance;
    evict_until(footprint - in_use_ - size);
    lock.unlock();  // mapping may take milliseconds
    block = {static_cast<char*>(map_pages(capacity)), capacity, false};
    if (!block.data) {
      trim();
      block.data = static_cast<char*>(map_pages(capacity));
    }
    if (!block.data) return block;
    lock.lock();
  }
  in_use_ += static_cast<int64_t>(block.capacity);
  peak_ = std::max<int64_t>(peak_, in_use_);
  return block;
}

void LargeBlocks::give(char* data, size_t capacity) noexcept {
  std::lock_guard lock(mutex_);
  in_use_ -= static_cast<int64_t>(capacity);
  try {
    idle_.push_back({data, capacity, ++clock_});
  } catch (const std::bad_alloc&) {
    unmap_pages(data, capacity);
    return;
  }
  cached_ += static_cast<int64_t>(capacity);
  if (idle_.size() > most_idle_blocks) evict_oldest();
  evict_until(std::max<int64_t>(idle_floor(), in_use_));
}

void LargeBlocks::trim() noexcept {
  std::lock_guard lock(mutex_);
  evict_until(0);
}

LargeBlocks::Block LargeBlocks::take_idle(size_t nbytes) {
  size_t limit = loosest_fit(nbytes);
  Idle* best = nullptr;
  for (Idle& idle : idle_) {
    if (idle.capacity < nbytes || idle.capacity > limit) continue;
    // Of equal sizes the most recently used block is likeliest to be in a cache.
    if (!best || idle.capacity < best->capacity || (idle.capacity == best->capacity && idle.since > best->since))
      best = &idle;
  }
  if (!best) return {};
  Block block{best->data, best->capacity, true};
  cached_ -= static_cast<int64_t>(best->capacity);
  *best = idle_.back();
  idle_.pop_back();
  return block;
}

void LargeBlocks::evict_until(int64_t most_cached) noexcept {
  while (cached_ > std::max<int64_t>(most_cached, 0) && !idle_.empty()) evict_oldest();
}

void LargeBlocks::evict_oldest() noexcept {
  auto oldest =
      std::min_element(idle_.begin(), idle_.end(), [](const Idle& a, const Idle& b) { return a.since < b.since; });
  cached_ -= static_cast<int64_t>(oldest->capacity);
  unmap_pages(oldest->data, oldest->capacity);
  *oldest = idle_.back();
  idle_.pop_back();
}

}  // namespace tessera::runtime
