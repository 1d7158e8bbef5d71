/// LargeBlocks: a cache of page mappings, bounded by what the program has held at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tessera::runtime {

/// Footprint (in use + idle) never grows past the peak of what was in use plus a small allowance: a request that no
/// idle block serves evicts the longest idle ones first.
class LargeBlocks {
 public:
  struct Block {
    char* data = nullptr;
    size_t capacity = 0;
    bool reused = false;
  };

  /// A block of at least nbytes, fresh from the system and so all zeros if wanted; data is null when it refuses.
  Block take(size_t nbytes, bool zeros = false);
  void give(char* data, size_t capacity) noexcept;
  void trim() noexcept;

  int64_t bytes_in_use() const { return in_use_; }
  /// The next two want the mutex held.
  int64_t bytes_cached() const { return cached_; }
  int64_t peak_bytes_in_use() const { return peak_; }

  std::mutex& mutex() { return mutex_; }

 private:
  struct Idle {
    char* data;
    size_t capacity;
    uint64_t since;
  };
  Block take_idle(size_t nbytes);
  void evict_until(int64_t most_cached) noexcept;
  void evict_oldest() noexcept;

  std::mutex mutex_;
  std::vector<Idle> idle_;
  uint64_t clock_ = 0;
  std::atomic<int64_t> in_use_{0};  // written under the mutex
  int64_t cached_ = 0, peak_ = 0;
};

}  // namespace tessera::runtime
