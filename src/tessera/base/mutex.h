/// Mutex, Condition: the locks of the engine. Debug builds count those that a thread holds: Python, which may let other
/// threads run, is asked with none held, since another thread may wait for that lock with the GIL.
#pragma once

#include <condition_variable>
#include <mutex>

#ifdef TESSERA_DEBUG
#include <cstdio>
#include <cstdlib>
#endif

namespace tessera {

#ifdef TESSERA_DEBUG

/// The number of locks that this thread holds.
int& locks_held();

template <class Lock>
class Counted {
 public:
  void lock() {
    lock_.lock();
    ++locks_held();
  }
  bool try_lock() {
    const bool is_locked = lock_.try_lock();
    locks_held() += is_locked ? 1 : 0;
    return is_locked;
  }
  void unlock() {
    --locks_held();
    lock_.unlock();
  }

 private:
  Lock lock_;
};

using Mutex = Counted<std::mutex>;
using RecursiveMutex = Counted<std::recursive_mutex>;
using Condition = std::condition_variable_any;

/// Ends the process where this thread holds a lock: another thread may wait for it with the GIL. `what` says what
/// is about to be done.
inline void assert_nothing_locked(const char* what) {
  if (locks_held() == 0) return;
  std::fprintf(stderr, "tessera: %s while this thread holds %d of the engine's locks\n", what, locks_held());
  std::abort();
}

#else

using Mutex = std::mutex;
using RecursiveMutex = std::recursive_mutex;
using Condition = std::condition_variable;

inline void assert_nothing_locked(const char*) {}

#endif

}  // namespace tessera
