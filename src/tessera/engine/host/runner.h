/// Runner: executes plans on the host, on the calling thread or in the background.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "tessera/base/unlocked.h"
#include "tessera/engine/host/launch.h"
#include "tessera/engine/support/run_window.h"

namespace tessera::engine {

class BlockRun;

class Runner {
 public:
  Runner(KernelCache& kernels, const UnlockHooks& hooks) : kernels_(kernels), hooks_(hooks) {}
  ~Runner();

  /// Runs every step on this thread, after all background work, then settles the versions that the plan makes.
  /// Floating-point events go to the window's reports. Throws OutOfMemory before anything is changed.
  /// Steps for which `elsewhere` returns true were computed there into host memory and are skipped.
  using Elsewhere = std::function<bool(const plan::KernelStep& step, const ir::KernelArguments& arguments)>;
  void run(const std::shared_ptr<BoundPlan>& bound, const plan::Request& request, RunWindow& window,
           const Elsewhere& elsewhere = {});
  /// Starts the plan in the background: its versions get memory now, and their contents when the ticket is done. The
  /// returned ticket also tells until when the plan's operands are in use.
  uint64_t start(const std::shared_ptr<BoundPlan>& bound, const plan::Request& request, RunWindow& window);
  static bool may_start(const BoundPlan& bound);
  /// Starts the launch in the background; returns the ticket until which it uses its memory.
  uint64_t start(std::shared_ptr<BlockRun> launch);

  /// Waits until no background work touches the version's memory.
  /// Throws if background work failed that was to write it.
  void wait(const graph::Version& version);
  /// The same for all background work; throws as collect() does.
  void wait_all();
  /// Whether finished background work has events or failures that collect() would report.
  bool has_events() const { return events_seen_.load(std::memory_order_relaxed) || kernel_failure_; }
  /// Releases what finished work held and reports its events to the windows. Throws the failure of a user kernel, once.
  void collect();

 private:
  class Borrowed;
  void collect_quietly();
  void bring_operands_home(const plan::Plan& plan, const plan::Request& request);
  /// Throws if background work failed that was to write an operand.
  void check_operands(const plan::Plan& plan, const plan::Request& request);
  void check(const graph::Version& version);
  struct Started {
    Launch launch;
    std::shared_ptr<BlockRun> blocks;  // of a user kernel, in place of `launch`
    RunWindow* window = nullptr;
    std::vector<Watch> watches;  // of flag_nodes
    Runner* runner = nullptr;
  };
  /// The entry for the next ticket, whose last work is done and collected.
  Started& next_entry();

  KernelCache& kernels_;
  const UnlockHooks& hooks_;
  std::vector<std::unique_ptr<Launch>> spare_;
  std::array<Started, 32> started_;  // by ticket; more entries than the stream queues
  uint64_t collected_ = 0;
  std::atomic<bool> events_seen_{false};
  /// Memory whose contents are wrong because background work that writes it failed.
  struct Spoiled {
    Ref<runtime::Buffer> memory;
    std::exception_ptr error;
  };
  std::vector<Spoiled> spoiled_;
  std::exception_ptr kernel_failure_;  // of a user kernel, not thrown yet
};

}  // namespace tessera::engine
