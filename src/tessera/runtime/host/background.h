/// BackgroundWorkers: threads that run tasks later, started when first needed. They have ordinary priority: the code
/// that waits for a task is hot, and at low priority tasks finish too late for programs that run a tenth of a second.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "tessera/base/mutex.h"

namespace tessera::runtime {

class BackgroundWorkers {
 public:
  /// The one thread that runs its tasks in order.
  static BackgroundWorkers& in_order();
  /// Up to half as many threads as parallel work uses, which run tasks in parallel.
  static BackgroundWorkers& concurrently();

  void post(std::function<void()> task);
  void wait();
  void stop();
  /// Around fork: running tasks finish and queued ones stay. In the parent they go on; in the child, which has no
  /// threads, they wait until some are needed again.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  explicit BackgroundWorkers(bool in_order) : in_order_(in_order) {}

  // With the mutex held:
  void start();
  bool on_worker() const;
  size_t most_threads() const;

  void run();

  const bool in_order_;
  Mutex mutex_;
  Condition changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  size_t busy_ = 0;
  bool pausing_ = false;
  bool stopped_ = false;
};

}  // namespace tessera::runtime
