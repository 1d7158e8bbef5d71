/// MemoryPool: a caching allocator of device memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/pool_statistics.h"

namespace tessera::runtime::cuda {

/// All work runs on one stream, so a freed block may be handed out again while its last reader still runs: the next
/// writer is queued behind it. Thread-safe.
class MemoryPool {
 public:
  explicit MemoryPool(const Driver& driver) : driver_(driver) {}

  struct Block {
    Address address = 0;
    int64_t capacity = 0;
  };
  /// Throws OutOfMemory naming the sizes, after all cached memory was freed.
  Block take(int64_t nbytes);
  void give_back(Block block) noexcept;
  void trim();
  /// What is done before memory is given back to the driver.
  void set_before_trim(std::function<void()> before_trim) { before_trim_ = std::move(before_trim); }
  void set_limit(int64_t nbytes);
  int64_t limit() const;
  PoolStatistics statistics() const;

 private:
  static int64_t round_up(int64_t nbytes);
  Block take_cached(int64_t capacity);
  void trim_locked();

  const Driver& driver_;
  mutable Mutex mutex_;
  std::map<int64_t, std::vector<Address>> cached_;  // by capacity
  int64_t limit_ = 0;
  std::function<void()> before_trim_;
  PoolStatistics statistics_;
};

}  // namespace tessera::runtime::cuda
