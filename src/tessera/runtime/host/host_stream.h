/// HostStream: runs small pieces of work in order on a thread of its own, while the submitter continues. A thread that
/// waits for work that the stream's thread has not begun, because it sleeps or has no core, runs the work itself.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include "tessera/base/mutex.h"

namespace tessera::runtime {

/// Tickets count submissions: ticket t is done when finished() >= t. Only one thread at a time submits (ensured by the
/// engine's lock); any thread may wait.
class HostStream {
 public:
  using Task = void (*)(void* argument) noexcept;
  static HostStream& instance();

  /// Whether a second thread is available; if not, callers run their work themselves. After a wait because the thread
  /// had no core, it returns false for the next hundred calls or more.
  bool available();
  /// Queues task(argument); waits while the queue is full.
  uint64_t submit(Task task, void* argument);
  const std::atomic<uint64_t>& finished() const { return finished_; }
  uint64_t submitted() const { return submitted_.load(std::memory_order_relaxed); }
  void wait(uint64_t ticket) {
    if (finished_.load(std::memory_order_acquire) < ticket) [[unlikely]]
      wait_slowly(ticket);
  }
  void wait_all() { wait(submitted()); }

  /// Around fork: the queue is empty and the thread is gone on both sides until needed again.
  void before_fork();
  void after_fork_in_parent() { mutex_.unlock(); }
  void after_fork_in_child();
  /// Ends the thread after the queued work; later submissions run on the submitter.
  void stop();

 private:
  struct Entry {
    Task task;
    void* argument;
  };
  static constexpr uint64_t capacity = 16;

  void start();
  void join();
  void run();
  bool pending() const { return finished_.load() < submitted_.load(); }
  bool await_work();
  void wait_slowly(uint64_t ticket);
  void rest();
  bool take_over();
  void run_until(uint64_t ticket);
  void hand_back();
  void wake();
  void notify_waiting();

  std::array<Entry, capacity> ring_{};
  alignas(64) std::atomic<uint64_t> submitted_{0};
  alignas(64) std::atomic<uint64_t> finished_{0};
  std::atomic<bool> running_{false};  // some thread runs the queued work: the stream's thread, or one that waits
  std::atomic<bool> asleep_{false};   // the thread waits for work and has not been woken
  std::atomic<bool> waking_{false};   // the thread has been woken and is not up yet
  std::atomic<int> waiting_{0};       // number of threads that wait for the stream's thread
  std::atomic<bool> ending_{false};
  std::atomic<int> missed_{0};   // pieces of work taken over since the thread last ran one
  std::atomic<int> resting_{0};  // how many more times available() returns false
  std::atomic<int> recess_{0};   // length of the last rest
  bool stopped_ = false;
  Mutex mutex_;
  Condition work_;
  Condition done_;
  std::thread thread_;
};

}  // namespace tessera::runtime
