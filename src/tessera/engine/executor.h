/// Executor: runs recorded nodes: when the host asks, when a window is full, and again where that failed.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "tessera/engine/record/failed_nodes.h"
#include "tessera/engine/record/recorder.h"
#include "tessera/graph/array.h"
#include "tessera/plan/planner.h"
#include "tessera/plan/request.h"

namespace tessera::engine {

struct BoundPlan;
struct CallContext;
struct State;

class Executor {
 public:
  explicit Executor(State& state);

  /// Runs the nodes before `end` and waits for host work. Nodes that fail, and those that need them, go to `failed`.
  void run_until(Recorder& window, int64_t end) {
    run(window, end, false);
    window.note_wait();
  }
  /// As run_until, but runs the nodes in the background when the plan is small enough.
  void start_until(Recorder& window, int64_t end) { run(window, end, true); }
  /// Runs the whole window; throws if its last node fails.
  void run_to_end(Recorder& window);
  /// Makes the results of a call, on the host or a device. The operands are not pending. `written` is the array of the
  /// first of them if the routine writes it.
  void run_call(graph::Call& call, Recorder& window, const CallContext& context, const Array* written = nullptr);
  /// Runs the window that makes the version until the version is no longer pending.
  void finish(const graph::Version& version);
  /// The storage's current version, no longer pending; retries when other threads replace the version meanwhile.
  Ref<graph::Version> finished(const graph::Storage& storage);
  /// Runs what makes the version, waits for it, and copies the elements to host memory.
  void settle(graph::Version& version);
  /// Runs the pending nodes that use the version; those that failed keep using it.
  void settle_users(const graph::Version& version);
  /// Gives the storage contents that it shares with no other storage or pending node, so that it can be written in
  /// place.
  void make_exclusive(graph::Storage& storage);
  /// The storage's only contents, in the device's memory, for writing; null when they are shared elsewhere.
  Ref<runtime::Buffer> own_on_device(graph::Storage& storage, runtime::Device& device);

  const FailedNodes& failed() const { return failed_; }
  /// What the request's plan is made for.
  plan::PlanOptions plan_options(const plan::Request& request, const Recorder& window) const;

 private:
  /// `beside` allows running in the background.
  void run(Recorder& window, int64_t end, bool beside);
  /// After the nodes before `end` failed together: halves them recursively and runs the parts, which may fit in memory
  /// where the whole did not, until the nodes that fail are identified.
  void run_apart(Recorder& window, int64_t end, const std::exception_ptr& error);
  /// Moves the nodes before `end` to `failed`. Those that need lost elements get lost results instead.
  void fail(Recorder& window, int64_t end, std::exception_ptr error);
  /// Runs again what failed before and makes the version.
  void retry(const graph::Version& version);
  /// Runs the nodes before `end` as one plan; on failure nothing has changed.
  void run_together(Recorder& window, int64_t end, bool beside);
  /// Its second part: runs the plan, which was cached if `found`, on the host or a device.
  void run_plan(const std::shared_ptr<BoundPlan>& plan, bool found, const plan::Request& request, Recorder& window,
                bool beside);
  /// Runs the first node, a call, and removes it from the window; on failure nothing has changed.
  void run_call_node(Recorder& window);

  State& state_;
  FailedNodes failed_;
  std::vector<std::unique_ptr<Recorder>> retries_;  // windows in which failed nodes run again; used one by one
  std::vector<Recorder*> free_retries_;
};

}  // namespace tessera::engine
