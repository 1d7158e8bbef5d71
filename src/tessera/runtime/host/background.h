/// BackgroundWorkers: threads that run tasks later, started when first needed. Of ordinary priority: what waits for
/// them is hot, and a thread that only gets what busy cores leave comes too late for programs of a tenth of a second.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tessera::runtime {

class BackgroundWorkers {
 public:
  /// One thread, which runs its tasks in order.
  static BackgroundWorkers& in_order();
  /// Up to half as many as there are for parallel work, which run tasks beside each other.
  static BackgroundWorkers& concurrently();

  void post(std::function<void()> task);
  void wait();
  void stop();
  /// Around fork: running tasks end, queued ones stay, and the threads are gone on both sides until wanted again.
  void before_fork();
  void after_fork();

 private:
  explicit BackgroundWorkers(bool in_order) : in_order_(in_order) {}

  // With the mutex held:
  void start();
  bool on_worker() const;
  size_t most_threads() const;

  void run();

  const bool in_order_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  size_t busy_ = 0;
  bool pausing_ = false;
  bool stopped_ = false;
};

}  // namespace tessera::runtime
