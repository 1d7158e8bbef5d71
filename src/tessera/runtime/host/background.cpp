#include "tessera/runtime/host/background.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "tessera/runtime/host/float_environment.h"
#include "tessera/runtime/host/thread_start.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::runtime {

BackgroundWorkers& BackgroundWorkers::in_order() {
  static BackgroundWorkers* workers = [] {
    std::atexit(stop_background);
    return new BackgroundWorkers(true);  // tasks may be posted while static objects are destroyed
  }();
  return *workers;
}

BackgroundWorkers& BackgroundWorkers::concurrently() {
  static BackgroundWorkers* workers = [] {
    std::atexit(stop_background);
    return new BackgroundWorkers(false);
  }();
  return *workers;
}

void BackgroundWorkers::post(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return;
    tasks_.push_back(std::move(task));
    if (!pausing_) start();
  }
  changed_.notify_all();
}

void BackgroundWorkers::wait() {
  std::unique_lock lock(mutex_);
  if (on_worker()) return;
  if (!tasks_.empty() && !pausing_) start();
  // No thread could be created: run the tasks here.
  while (threads_.empty() && !tasks_.empty() && !pausing_ && !stopped_) {
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
  changed_.wait(lock, [&] { return (tasks_.empty() && busy_ == 0) || stopped_; });
}

void BackgroundWorkers::stop() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  tasks_.clear();
  changed_.notify_all();
  if (on_worker()) return;
  std::vector<std::thread> threads = std::move(threads_);
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
}

void BackgroundWorkers::before_fork() {
  std::unique_lock lock(mutex_);
  if (!on_worker()) {
    pausing_ = true;
    changed_.notify_all();
    std::vector<std::thread> threads = std::exchange(threads_, {});
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
    lock.lock();
  }
  lock.release();  // held until after the fork, so that the child finds it in a known state
}

void BackgroundWorkers::after_fork_in_parent() {
  pausing_ = false;
  if (!tasks_.empty()) start();  // a thread may already wait for them
  mutex_.unlock();
  changed_.notify_all();
}

void BackgroundWorkers::after_fork_in_child() {
  std::construct_at(&changed_);  // the threads that wait in the parent do not exist here
  pausing_ = false;
  mutex_.unlock();
}

bool BackgroundWorkers::on_worker() const {
  return std::any_of(threads_.begin(), threads_.end(),
                     [](const std::thread& thread) { return thread.get_id() == std::this_thread::get_id(); });
}

size_t BackgroundWorkers::most_threads() const {
  return in_order_ ? 1 : static_cast<size_t>(std::max(1, thread_count() / 2));
}

/// Starts as many threads as there is work for.
void BackgroundWorkers::start() {
  try {
    while (!stopped_ && threads_.size() < std::min(most_threads(), busy_ + tasks_.size()))
      threads_.push_back(start_thread([this] { run(); }));
  } catch (const std::system_error&) {  // no memory for a stack: the next task tries again
  }
}

void BackgroundWorkers::run() {
  FloatEnvironment environment;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return pausing_ || stopped_ || !tasks_.empty(); });
    if (pausing_ || stopped_) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    ++busy_;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    --busy_;
    changed_.notify_all();
  }
}

void run_in_background(std::function<void()> task) { BackgroundWorkers::in_order().post(std::move(task)); }
void run_concurrently(std::function<void()> task) { BackgroundWorkers::concurrently().post(std::move(task)); }

void wait_for_background() {
  BackgroundWorkers::in_order().wait();
  BackgroundWorkers::concurrently().wait();
}

void stop_background() {
  BackgroundWorkers::in_order().stop();
  BackgroundWorkers::concurrently().stop();
}

}  // namespace tessera::runtime
