#include "tessera/runtime/host/host_stream.h"

#include <cstdlib>

#include "tessera/runtime/host/float_environment.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::runtime {

namespace {

// How often a thread looks before it sleeps: some tens of microseconds, more than a turn of a small loop takes.
constexpr int patience = 2000;

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

bool HostStream::available() const { return thread_count() > 1 && !stopped_; }

uint64_t HostStream::submit(Task task, void* argument) {
  const uint64_t ticket = submitted() + 1;
  if (stopped_) {
    task(argument);
    submitted_.store(ticket, std::memory_order_relaxed);
    finished_.store(ticket, std::memory_order_release);
    return ticket;
  }
  if (ticket > capacity) wait(ticket - capacity);
  if (!thread_.joinable()) [[unlikely]] start();
  ring_[ticket % capacity] = {task, argument};
  submitted_.store(ticket);
  if (asleep_.load()) {
    std::lock_guard lock(mutex_);
    work_.notify_one();
  }
  return ticket;
}

void HostStream::wait_slowly(uint64_t ticket) {
  for (int i = 0; i < patience; ++i) {
    if (finished_.load(std::memory_order_acquire) >= ticket) return;
    pause_briefly();
  }
  std::unique_lock lock(mutex_);
  ++waiting_;
  done_.wait(lock, [&] { return finished_.load() >= ticket; });
  --waiting_;
}

/// True when entry `next` is there; false when the thread shall end.
bool HostStream::await_work(uint64_t next) {
  auto ready = [&] { return submitted_.load() >= next || ending_.load(); };
  for (int i = 0; i < patience && !ready(); ++i) pause_briefly();
  if (!ready()) {
    std::unique_lock lock(mutex_);
    asleep_ = true;
    work_.wait(lock, ready);
    asleep_ = false;
  }
  return submitted_.load() >= next;
}

void HostStream::run() {
  FloatEnvironment environment;
  for (uint64_t next = finished_.load() + 1; await_work(next); ++next) {
    const Entry& entry = ring_[next % capacity];
    entry.task(entry.argument);
    finished_.store(next);
    if (waiting_.load()) {
      std::lock_guard lock(mutex_);
      done_.notify_all();
    }
  }
}

void HostStream::start() {
  ending_ = false;
  thread_ = std::thread([this] { run(); });
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

void HostStream::before_fork() { join(); }

void HostStream::stop() {
  join();
  stopped_ = true;
}

}  // namespace tessera::runtime
