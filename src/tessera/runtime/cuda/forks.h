/// Forks: whether this process was forked from one that uses the driver.
#pragma once

#include <pthread.h>

#include <atomic>

namespace tessera::runtime::cuda {

/// A forked child has the driver's memory but not its threads: any call may hang.
inline std::atomic<bool> is_forked{false};

inline void watch_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
  static_cast<void>(registered);
}

}  // namespace tessera::runtime::cuda
