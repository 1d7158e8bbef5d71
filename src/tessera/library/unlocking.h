/// The caller's lock (in Python the GIL) while vendor libraries compute.
#pragma once

#include <mutex>

#include "tessera/base/unlocked.h"

namespace tessera::library {

/// How the lock is released; nothing is released before this is set.
void set_unlock_hooks(const UnlockHooks& hooks);
const UnlockHooks& unlock_hooks();

/// Of a handle that one thread at a time may use.
using HandleMutex = std::mutex;

/// A mutex that is held. Who waits for it has released the caller's lock, so its holder can always take that; it is
/// none of those that debug builds count.
class HeldMutex {
 public:
  explicit HeldMutex(HandleMutex& mutex) : lock_(mutex, std::try_to_lock) {
    if (lock_) return;
    const Unlocked unlocked(unlock_hooks());
    lock_.lock();
  }

 private:
  std::unique_lock<HandleMutex> lock_;
};

}  // namespace tessera::library
