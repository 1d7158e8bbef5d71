/// Engine::Impl: what the files of this room share.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "tessera/engine/engine.h"
#include "tessera/engine/kernel_cache.h"
#include "tessera/engine/recorder.h"
#include "tessera/engine/runner.h"
#include "tessera/plan/planner.h"

namespace tessera {

struct Engine::Impl {
  Impl();

  /// This thread's window.
  engine::Recorder& recorder();
  /// Runs the nodes before `end`.
  void run_until(engine::Recorder& window, int64_t end);
  /// Runs whatever the version waits for, in whichever window that is.
  void settle(const graph::Version& version);
  /// Runs other threads' pending reads of the version.
  void settle_readers(const graph::Version& version);
  /// Gives the storage contents of its own, so that it can be written where it lies.
  void make_exclusive(graph::Storage& storage);
  /// Called after every recorded node.
  void after_record(engine::Recorder& window, bool run_now);

  /// Makes `input` the operand, broadcast to `shape`; scalars take the type given. Reading pinned memory sets `pinned`.
  void fill_input(graph::Input& input, const Scalar& scalar, DType dtype);
  void fill_input(graph::Input& input, const Array& array, const Dims& shape, bool& pinned);
  void fill_input(graph::Input& input, const Operand& operand, const Dims& shape, DType scalar_type, bool& pinned);
  /// The next node of the window as an elementwise one without operands.
  graph::Node& next_map(engine::Recorder& window, const ops::Op& op, const ops::Signature& signature, int result,
                        const View& layout, const Context& context);
  Array commit_fresh(engine::Recorder& window, graph::Node& node, const View& layout);
  /// Records one elementwise node and returns its fresh result, laid out as `layout` (over `shape`).
  Array record_map(const ops::Op& op, const ops::Signature& signature, int result, std::span<const Operand> operands,
                   const View& layout, const Context& context);
  Array record_fold(const ops::Op& op, ir::ReduceKind kind, const Array& source, std::span<const int> axes, DType dtype,
                    const Context& context);
  void record_write(const Array& destination, const Operand& source, const Context& context);

  std::shared_ptr<engine::BoundPlan> find_plan(const plan::Request& request);
  void wait_for_runner();

  static constexpr size_t most_plans = 4096;

  Options options;
  engine::UnlockHooks hooks;
  engine::KernelCache kernels;
  std::unordered_map<uint64_t, std::shared_ptr<engine::BoundPlan>> plans;
  std::vector<std::unique_ptr<engine::Recorder>> recorders;
  std::mutex runner_mutex;
  std::condition_variable runner_done;
};

}  // namespace tessera
