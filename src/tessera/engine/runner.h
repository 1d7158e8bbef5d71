/// Runner: executes plans on the host, on the calling thread or beside the program.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "tessera/engine/launch.h"
#include "tessera/engine/recorder.h"
#include "tessera/engine/unlocked.h"

namespace tessera::engine {

class Runner {
 public:
  Runner(KernelCache& kernels, const UnlockHooks& hooks) : kernels_(kernels), hooks_(hooks) {}
  ~Runner();

  /// Runs every step on this thread, after all that was started, then settles the versions the plan produces. Events go
  /// to the window's reports. Throws OutOfMemory before touching anything it cannot finish.
  /// Steps that `elsewhere` says it has computed in host memory are not computed here.
  using Elsewhere = std::function<bool(const plan::KernelStep& step, const ir::KernelArguments& arguments)>;
  void run(const std::shared_ptr<BoundPlan>& bound, const plan::Request& request, Recorder& window,
           const Elsewhere& elsewhere = {});
  /// The same beside the program: versions get memory now and contents when their ticket is done. Returns the ticket
  /// until which what the plan reads is in use.
  uint64_t start(const std::shared_ptr<BoundPlan>& bound, const plan::Request& request, Recorder& window);
  static bool may_start(const BoundPlan& bound);

  /// Waits until nothing that was started touches the version's memory.
  void wait(const graph::Version& version);
  void wait_all();
  /// Whether finished work has reported events that collect() would hand on.
  bool has_events() const { return events_seen_.load(std::memory_order_relaxed); }
  /// Lets go of what finished work held and hands its events to the windows.
  void collect();

 private:
  class Borrowed;
  void bring_operands_home(const plan::Plan& plan, const plan::Request& request);
  struct Started {
    Launch launch;
    Recorder* window = nullptr;
    std::vector<Watch> watches;  // of flag_nodes
    Runner* runner = nullptr;
  };

  KernelCache& kernels_;
  const UnlockHooks& hooks_;
  std::vector<std::unique_ptr<Launch>> spare_;
  std::array<Started, 32> started_;  // by ticket; more than the stream queues
  uint64_t collected_ = 0;
  std::atomic<bool> events_seen_{false};
};

}  // namespace tessera::engine
