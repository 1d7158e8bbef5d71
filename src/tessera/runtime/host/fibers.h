/// Fibers: many units of work that may wait for each other, on the process's threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "tessera/base/mutex.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::runtime {

/// Calls unit(k, k + 1) for each k below `count`, each on a stack of its own, on up to thread_count() threads, in the
/// order of k as far as units do not wait. A unit that waits lets the thread's others run. Exceptions of any unit reach
/// the caller once all others have ended.
void run_fibers(int64_t count, RangeFn unit);

/// Within a unit: lets other units of the same thread run. Nothing elsewhere.
void pause_fiber();

/// Where units of a group wait for each other.
class Meeting {
 public:
  explicit Meeting(int64_t members) : members_(members) {}
  /// Within a unit: returns when every member that has not left has called this as often.
  void meet();
  /// A member has ended.
  void leave();

  /// The meeting that the caller has come to, for has_met().
  uint64_t arrive();
  bool has_met(uint64_t meeting) const { return met_.load(std::memory_order_acquire) != meeting; }

 private:
  void release_if_all();

  Mutex mutex_;
  int64_t members_, arrived_ = 0;
  std::atomic<uint64_t> met_{0};
};

/// Within a unit: returns when every unit that has not ended has called this as often. Nothing elsewhere.
void meet_fibers();

}  // namespace tessera::runtime
