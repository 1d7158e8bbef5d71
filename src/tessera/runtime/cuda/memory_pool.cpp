#include "tessera/runtime/cuda/memory_pool.h"

#include <algorithm>

#include "tessera/base/error.h"

namespace tessera::runtime::cuda {

namespace {

constexpr int64_t smallest = 512;
constexpr int64_t page = int64_t{2} << 20;  // the driver's allocation granularity

}  // namespace

/// Small requests are rounded to eight sizes per power of two; large ones to whole pages.
int64_t MemoryPool::round_up(int64_t nbytes) {
  if (nbytes >= page) return (nbytes + page - 1) / page * page;
  int64_t step = smallest;
  while (step * 16 < nbytes) step *= 2;
  return std::max(smallest, (nbytes + step - 1) / step * step);
}

MemoryPool::Block MemoryPool::take_cached(int64_t capacity) {
  // Wasting up to an eighth costs less than caching one more block.
  const auto at = cached_.lower_bound(capacity);
  if (at == cached_.end() || at->first > capacity + capacity / 8) return {};
  const Block block{at->second.back(), at->first};
  at->second.pop_back();
  if (at->second.empty()) cached_.erase(at);
  statistics_.bytes_cached -= block.capacity;
  ++statistics_.reuses;
  return block;
}

MemoryPool::Block MemoryPool::take(int64_t nbytes) {
  const int64_t capacity = round_up(nbytes);
  std::lock_guard lock(mutex_);
  const auto over_limit = [&] {
    return limit_ > 0 && statistics_.bytes_in_use + statistics_.bytes_cached + capacity > limit_;
  };
  Block block = take_cached(capacity);
  if (!block.address) {
    if (over_limit()) trim_locked();
    require<OutOfMemory>(!over_limit(), "the GPU memory limit of {} bytes does not allow {} bytes more: {} are in use",
                         limit_, capacity, statistics_.bytes_in_use);
    int status = driver_.memory_allocate(&block.address, static_cast<size_t>(capacity));
    if (status == out_of_memory && statistics_.bytes_cached > 0) {
      trim_locked();
      status = driver_.memory_allocate(&block.address, static_cast<size_t>(capacity));
    }
    require<OutOfMemory>(status != out_of_memory, "the GPU has no {} bytes left: {} are in use", capacity,
                         statistics_.bytes_in_use);
    check(driver_, status, "allocating memory");
    block.capacity = capacity;
    ++statistics_.allocations;
  }
  statistics_.bytes_in_use += block.capacity;
  statistics_.peak_bytes_in_use = std::max(statistics_.peak_bytes_in_use, statistics_.bytes_in_use);
  return block;
}

void MemoryPool::give_back(Block block) noexcept {
  std::lock_guard lock(mutex_);
  statistics_.bytes_in_use -= block.capacity;
  statistics_.bytes_cached += block.capacity;
  cached_[block.capacity].push_back(block.address);
}

void MemoryPool::trim() {
  std::lock_guard lock(mutex_);
  trim_locked();
}

/// The driver waits for running work before it frees memory.
void MemoryPool::trim_locked() {
  if (before_trim_) before_trim_();
  for (const auto& [capacity, addresses] : cached_)
    for (Address address : addresses) driver_.memory_free(address);
  cached_.clear();
  statistics_.bytes_cached = 0;
}

void MemoryPool::set_limit(int64_t nbytes) {
  std::lock_guard lock(mutex_);
  limit_ = nbytes;
}

int64_t MemoryPool::limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

PoolStatistics MemoryPool::statistics() const {
  std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace tessera::runtime::cuda
