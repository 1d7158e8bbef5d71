/// Windows: the threads' windows of one engine, and their waits for each other.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/base/unlocked.h"
#include "tessera/engine/record/recorder.h"

namespace tessera::engine {

/// This thread's window in the engine that it used last.
struct OwnRecorder {
  Recorder* recorder = nullptr;
  uint64_t engine = 0;  // Windows::engine_number
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local OwnRecorder own_recorder;

class Windows {
 public:
  /// New threads' work may run where `devices` and `choice` say.
  Windows(const UnlockHooks& hooks, DeviceSet* devices, Prospect* choice);

  const uint64_t engine_number;  // unique among engines; never 0

  /// This thread's window; created on first use.
  Recorder& own() {
    Recorder* window = own_if_any();
    return window ? *window : join();
  }
  /// The same, or null when this thread did not use this engine last.
  Recorder* own_if_any() const { return own_recorder.engine == engine_number ? own_recorder.recorder : nullptr; }
  /// This thread's window, after waiting until no thread runs it.
  Recorder& open_own() {
    Recorder& window = own();
    wait_until_open(window);
    return window;
  }
  void wait_until_open(const Recorder& window) {
    while (window.running) [[unlikely]]
      wait();
  }
  /// Waits until this thread may run the window; whoever then does marks it as running, and calls end_run.
  void wait_to_run(const Recorder& window);
  void end_run(Recorder& window);
  /// Where new threads' work may run; null: the host.
  DeviceSet* devices() const { return devices_; }
  /// From now on this process is a rank: threads' work runs here, but for that on arrays which are cut over ranks,
  /// which has a window of its own.
  void begin_ranks(Ranks& ranks);
  /// That window; null where there are no ranks.
  Recorder* over_ranks() const { return over_ranks_; }
  /// Of all threads, also of those that have ended, and that over ranks.
  const std::vector<std::shared_ptr<Recorder>>& all() const { return recorders_; }

  /// Before fork, on the forking thread: waits until no window runs, and lets none start.
  void prepare_fork();
  /// After fork, in both processes.
  void resume_after_fork(bool in_child);

 private:
  Recorder& join();
  /// Waits until some window has run, or a millisecond, with the caller's lock released.
  void wait();

  const UnlockHooks& hooks_;
  DeviceSet* devices_;
  Prospect* choice_;
  std::vector<std::shared_ptr<Recorder>> recorders_;
  Recorder* over_ranks_ = nullptr;  // one of them
  int waiting_ = 0;                 // threads in wait()
  std::thread::id forker_;          // while it forks, no other thread may start to run a window
  Mutex mutex_;
  Condition has_run_;
};

}  // namespace tessera::engine
