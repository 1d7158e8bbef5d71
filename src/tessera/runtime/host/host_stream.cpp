#include "tessera/runtime/host/host_stream.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "tessera/profile/account.h"
#include "tessera/runtime/host/float_environment.h"
#include "tessera/runtime/host/thread_start.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::runtime {

namespace {

// How often a thread polls before it sleeps: some tens of microseconds, more than one iteration of a small loop takes.
constexpr int patience = 2000;
// How often a waiting thread polls before it runs the work itself: an awake stream thread begins earlier than that. 0
// if the stream thread missed the last piece.
constexpr int courtesy = 32;
// Missed pieces of work before a rest: a running thread misses few unless it lost its core. One that is woken on an
// idle virtual machine misses several hundred before it runs.
constexpr int oversight = 64, wake_up = 4096;
constexpr int shortest_rest = 128, longest_rest = 4096;

/// The number of involuntary context switches of the calling thread.
long preemptions() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

HostStream& HostStream::instance() {
  static HostStream* stream = [] {
    std::atexit([] { instance().stop(); });
    return new HostStream;  // never destroyed: threads may outlive static objects
  }();
  return *stream;
}

bool HostStream::available() {
  if (const int left = resting_.load(std::memory_order_relaxed); left > 0) [[unlikely]] {
    resting_.store(left - 1, std::memory_order_relaxed);
    return false;
  }
  return thread_count() > 1 && !stopped_;
}

/// Called when the thread is needed and does not run, so the machine is busy. Trying again costs one or two context
/// switches, so rests grow while the machine stays busy.
void HostStream::rest() {
  missed_ = 0;
  recess_ = std::clamp(2 * recess_.load(), shortest_rest, longest_rest);
  resting_ = recess_.load();
}

uint64_t HostStream::submit(Task task, void* argument) {
  const uint64_t ticket = submitted() + 1;
  if (stopped_) {
    task(argument);
    submitted_.store(ticket, std::memory_order_relaxed);
    finished_.store(ticket, std::memory_order_release);
    return ticket;
  }
  if (ticket > capacity) wait(ticket - capacity);
  if (!thread_.joinable()) [[unlikely]]
    start();
  if (ticket % longest_rest == 0) recess_ = 0;
  ring_[ticket % capacity] = {task, argument};
  submitted_.store(ticket);
  if (asleep_.load()) wake();
  return ticket;
}

void HostStream::wait_slowly(uint64_t ticket) {
  const profile::InRow row(profile::Row::waiting);
  for (int i = 0; i < patience; ++i) {
    if (finished_.load(std::memory_order_acquire) >= ticket) return;
    if ((i >= courtesy || missed_.load(std::memory_order_relaxed) != 0) && take_over()) {
      if (++missed_ >= (waking_.load() ? wake_up : oversight)) rest();
      FloatEnvironment environment;
      run_until(ticket);
      hand_back();
      return;
    }
    pause_briefly();
  }
  std::unique_lock lock(mutex_);
  ++waiting_;
  done_.wait(lock, [&] { return finished_.load() >= ticket; });
  --waiting_;
}

/// True when the caller has become the one to run queued work, until hand_back().
bool HostStream::take_over() {
  return !running_.load(std::memory_order_relaxed) && pending() && !running_.exchange(true);
}

void HostStream::run_until(uint64_t ticket) {
  for (uint64_t next = finished_.load() + 1; next <= ticket && pending(); ++next) {
    const Entry& entry = ring_[next % capacity];
    entry.task(entry.argument);
    finished_.store(next);
    if (waiting_.load()) [[unlikely]]
      notify_waiting();
  }
}

/// Called when a thread sleeps waiting: the work was long, or the thread that runs it lost its core meanwhile.
void HostStream::notify_waiting() {
  static thread_local long preempted = 0;
  if (const long lost = preemptions(); std::exchange(preempted, lost) != lost) rest();
  std::lock_guard lock(mutex_);
  done_.notify_all();
}

void HostStream::hand_back() {
  running_.store(false);
  if (asleep_.load() && (pending() || ending_.load())) wake();
}

void HostStream::wake() {
  std::lock_guard lock(mutex_);
  asleep_ = false;  // one wake-up suffices
  waking_ = true;
  work_.notify_one();
}

/// Waits for work. True when there is work that no thread runs; false when the thread must end.
bool HostStream::await_work() {
  auto ready = [&] { return (pending() && !running_.load()) || (ending_.load() && !pending()); };
  for (bool woken = false;; woken = true) {
    // Polls after a wake-up, too: the piece it was woken for has often been run meanwhile, and on a core of its own the
    // thread meets the next one.
    for (int i = 0; i < patience && !ready(); ++i) pause_briefly();
    if (ready()) return pending() || !ending_.load();
    if (woken) rest();
    std::unique_lock lock(mutex_);
    asleep_ = true;
    if (!ready()) work_.wait(lock);
    asleep_ = waking_ = false;
    missed_ = 0;
  }
}

void HostStream::run() {
  FloatEnvironment environment;
  while (await_work()) {
    if (!take_over()) continue;
    if (missed_.load(std::memory_order_relaxed) != 0) missed_ = 0;
    run_until(UINT64_MAX);
    hand_back();
  }
}

void HostStream::start() {
  ending_ = false;
  thread_ = start_thread([this] { run(); });
}

void HostStream::join() {
  if (!thread_.joinable()) return;
  ending_ = true;
  {
    std::lock_guard lock(mutex_);
    work_.notify_one();
  }
  thread_.join();
}

void HostStream::before_fork() {
  join();
  // A waiting thread may still run work that it took over.
  while (running_.load()) std::this_thread::yield();
  mutex_.lock();  // until after the fork: a thread that waited may just be waking up
}

void HostStream::after_fork_in_child() {
  std::construct_at(&work_);  // the threads that wait in the parent do not exist here
  std::construct_at(&done_);
  waiting_ = 0;
  mutex_.unlock();
}

void HostStream::stop() {
  join();
  stopped_ = true;
}

}  // namespace tessera::runtime
