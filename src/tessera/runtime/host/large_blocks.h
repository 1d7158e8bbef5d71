/// LargeBlocks: a cache of page mappings, bounded by the peak of what the program held at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/base/mutex.h"

namespace tessera::runtime {

/// The footprint (in use + idle) never exceeds the peak of the memory in use plus a small allowance: a request that no
/// idle block serves first evicts the blocks that were idle for longest.
class LargeBlocks {
 public:
  struct Block {
    char* data = nullptr;
    size_t capacity = 0;
    bool reused = false;
  };

  /// A block of at least nbytes; with `zeros` fresh from the system and so zeroed. data is null when the system
  /// refuses.
  Block take(size_t nbytes, bool zeros = false);
  void give(char* data, size_t capacity) noexcept;
  void trim() noexcept;

  int64_t bytes_in_use() const { return in_use_; }
  /// The next two require the mutex to be held.
  int64_t bytes_cached() const { return cached_; }
  int64_t peak_bytes_in_use() const { return peak_; }

  Mutex& mutex() { return mutex_; }

 private:
  struct Idle {
    char* data;
    size_t capacity;
    uint64_t since;
  };
  Block take_idle(size_t nbytes);
  void evict_until(int64_t most_cached) noexcept;
  void evict_oldest() noexcept;

  Mutex mutex_;
  std::vector<Idle> idle_;
  uint64_t clock_ = 0;
  std::atomic<int64_t> in_use_{0};  // written under the mutex
  int64_t cached_ = 0, peak_ = 0;
};

}  // namespace tessera::runtime
