/// BackgroundWorker: one thread that runs tasks in order, started when first needed. Of ordinary priority: what waits for it is hot,
/// and a thread that only gets what busy cores leave comes too late for programs of a tenth of a second.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tessera::runtime {

class BackgroundWorker {
 public:
  static BackgroundWorker& instance();

  void post(std::function<void()> task);
  void wait();
  void stop();
  /// Around fork: the running task ends, queued ones stay, and the thread is gone on both sides until wanted again.
  void before_fork();
  void after_fork();

 private:
  void start();  // with the mutex held
  void run();
  bool on_worker() const { return thread_.get_id() == std::this_thread::get_id(); }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
  bool busy_ = false;
  bool pausing_ = false;
  bool stopped_ = false;
};

}  // namespace tessera::runtime
