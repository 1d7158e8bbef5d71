/// HostPool: the caching allocator for host memory, with huge pages for large blocks.
#pragma once

#include <cstdint>

#include "tessera/runtime/buffer.h"
#include "tessera/runtime/pool_statistics.h"

namespace tessera::runtime {

/// Small blocks come from per-thread free lists (about 10 ns); large ones are cached by size class and returned to the
/// system when more than a fraction of the memory in use is idle, so peak memory stays near what the program holds.
class HostPool : public Allocator {
 public:
  /// The process-wide pool; never destroyed.
  static HostPool& instance();

  Ref<Buffer> allocate(size_t nbytes) override;
  /// Zeroed memory in pages that are not touched before they are used; for more than small_blocks::largest bytes.
  Ref<Buffer> allocate_zeros(size_t nbytes);
  void recycle(Buffer* buffer) noexcept override;
  /// Returns cached memory to the system.
  void trim();
  PoolStatistics statistics() const;
  /// Limits the bytes that the pool may hand out; 0 lifts the limit.
  void set_limit(int64_t bytes);
  /// The limit that is set, or the memory of the machine.
  int64_t limit() const;

  /// Held across fork: the child must not inherit a lock that some other thread held.
  void lock_for_fork();
  void unlock_after_fork();

  struct Impl;

 private:
  HostPool();
  Ref<Buffer> allocate_large(size_t nbytes, bool zeros);
  Impl* impl_;
};

}  // namespace tessera::runtime
