#include "tessera/runtime/host/background.h"

#include <cstdlib>
#include <system_error>

#include "tessera/runtime/host/float_environment.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::runtime {

BackgroundWorker& BackgroundWorker::instance() {
  static BackgroundWorker* worker = [] {
    std::atexit(stop_background);
    return new BackgroundWorker;  // tasks may be posted while static objects are destroyed
  }();
  return *worker;
}

void BackgroundWorker::post(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return;
    tasks_.push_back(std::move(task));
    if (!pausing_) start();
  }
  changed_.notify_all();
}

void BackgroundWorker::wait() {
  std::unique_lock lock(mutex_);
  if (on_worker()) return;
  if (!tasks_.empty() && !pausing_) start();
  while (!thread_.joinable() && !tasks_.empty() && !pausing_ && !stopped_) {  // none to be had: here, then
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
  changed_.wait(lock, [&] { return (tasks_.empty() && !busy_) || stopped_; });
}

void BackgroundWorker::stop() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  tasks_.clear();
  changed_.notify_all();
  if (on_worker() || !thread_.joinable()) return;
  std::thread thread = std::move(thread_);
  lock.unlock();
  thread.join();
}

void BackgroundWorker::before_fork() {
  std::unique_lock lock(mutex_);
  if (!on_worker()) {
    pausing_ = true;
    changed_.notify_all();
    if (thread_.joinable()) {
      std::thread thread = std::move(thread_);
      lock.unlock();
      thread.join();
      lock.lock();
    }
  }
  lock.release();  // held until after_fork, so that the child finds it in a known state
}

void BackgroundWorker::after_fork() {
  pausing_ = false;
  mutex_.unlock();
}

void BackgroundWorker::start() {
  if (thread_.joinable() || stopped_) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {  // no memory for its stack: the next task tries again
  }
}

void BackgroundWorker::run() {
  FloatEnvironment environment;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return pausing_ || stopped_ || !tasks_.empty(); });
    if (pausing_ || stopped_) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void run_in_background(std::function<void()> task) { BackgroundWorker::instance().post(std::move(task)); }
void wait_for_background() { BackgroundWorker::instance().wait(); }
void stop_background() { BackgroundWorker::instance().stop(); }

}  // namespace tessera::runtime
