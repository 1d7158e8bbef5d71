/// Workers: the threads of parallel work, which are oneTBB's.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <memory>
#include <optional>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/runtime/host/gate.h"

namespace tessera::runtime {

/// oneTBB's workers, and one arena per requested thread count. Shut down around fork.
class Workers {
 public:
  static Workers& instance() {
    static Workers* workers = new Workers;  // never destroyed: threads may outlive static objects
    return *workers;
  }

  /// Entered while parallel work runs, closed while the workers are shut down.
  Gate& gate() { return gate_; }

  /// The arena for `count` threads; null where there may be no room for their stacks. Call inside the gate.
  tbb::task_arena* arena(int count);

  void before_fork();
  void after_fork_in_parent() { gate_.open(); }
  void after_fork_in_child() {
    serial_ = serial_ || !stopped_;
    gate_.open();
  }
  bool serial() const { return serial_; }

 private:
  Gate gate_;
  Mutex mutex_;
  std::optional<tbb::task_scheduler_handle> handle_;
  std::optional<tbb::global_control> control_;
  std::vector<std::unique_ptr<tbb::task_arena>> arenas_;
  int allowed_ = 0;
  bool stopped_ = true;
  bool serial_ = false;
};

}  // namespace tessera::runtime
