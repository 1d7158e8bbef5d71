/// DeviceRunner: executes plans on one device. Work is queued; floating-point events (status flags) are read when the
/// host waits for the device.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/unlocked.h"
#include "tessera/engine/device/launch/device_kernels.h"
#include "tessera/engine/device/run/box_copies.h"
#include "tessera/engine/device/run/device_plan.h"
#include "tessera/engine/device/run/event_words.h"
#include "tessera/engine/device/run/routine_runner.h"
#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/engine/support/run_window.h"
#include "tessera/plan/planner.h"

namespace tessera::engine {

class PlanMemory;
struct KernelVariant;
struct LaunchArguments;

class DeviceRunner {
 public:
  explicit DeviceRunner(runtime::Device& device);

  std::shared_ptr<DevicePlan> bind(const plan::Plan& plan, codegen::Compiler* compiler);
  /// How many different kernels of the plan are not compiled yet; with `begins`, they are compiled in the background.
  int count_unready(const plan::Plan& plan, codegen::Compiler* compiler, bool begins);
  /// Queues every step, then settles the versions that the plan produces. `bound` must be complete. Throws OutOfMemory
  /// before anything is queued.
  void run(const plan::Plan& plan, DevicePlan& bound, const plan::Request& request, RunWindow& window);
  /// The same plan for launches over parts of its steps' lanes: no step runs as another's epilogue.
  std::shared_ptr<DevicePlan> bind_parts(const plan::Plan& plan, codegen::Compiler* compiler);
  /// A run by parts on this device: from which word on its kernels raise events, and memory for parameters that are not
  /// passed by value.
  struct PartsRun {
    int64_t flag = 0;
    bool has_own_events = false;  // the words are the same in every run
    Ref<runtime::Buffer> parameters{};
  };
  /// Begins one, with better programs where there are any; `repeats`: with words of its own if there are some left.
  /// Afterwards `note_parts` says what was queued.
  PartsRun begin_parts(const plan::Plan& plan, DevicePlan& bound, const plan::Request& request, RunWindow& window,
                       bool repeats);
  void note_parts(const plan::Request& request, const RunWindow& window) { note_work(request, window); }
  /// Lanes [begin, end) of a step's outermost axis; `addresses[k]` is where byte 0 of the slot of its operand k would
  /// be.
  struct StepPart {
    int32_t step = 0;
    int64_t begin = 0, end = 0;
    std::span<char* const> addresses;
    const PartsRun* run = nullptr;
    bool is_repeated = false;  // another device runs the same lanes, and tells of their events
  };
  void launch_part(const plan::Plan& plan, const DevicePlan& bound, const plan::Request& request, const StepPart& part);
  /// Copies boxes between two memories of the device.
  void copy_boxes(const char* from, char* to, const std::vector<plan::ByteBox>& boxes) {
    copies_.copy(from, to, boxes, compiler_);
  }
  /// As BoxCopies::move.
  bool move(const plan::MoveSet& set, const plan::Request& request, const std::function<char*(int32_t slot)>& memory) {
    return copies_.move(set, request, memory, compiler_);
  }
  bool pull(std::span<const BoxCopies::Pull> pulls) { return copies_.pull(pulls, compiler_); }
  /// Runs one kernel over host memory of any size, which goes through the device in tiles; false when nothing was done.
  bool run_by_tiles(const plan::KernelStep& step, const ir::KernelArguments& arguments, codegen::Compiler* compiler);
  static bool can_tile(const plan::KernelStep& step);
  /// Queues a user kernel with exactly this grid and these blocks; false, and nothing is done, when it cannot be
  /// compiled for the device.
  bool launch(KernelVariant& variant, const LaunchShape& shape, std::span<const char> parameters,
              codegen::Compiler* compiler);
  /// A user kernel for blocks of so many threads, compiled.
  const DeviceKernel& load(const KernelVariant& variant, int64_t threads, codegen::Compiler* compiler);
  /// Compiles user kernels for blocks of so many threads, in parallel.
  void compile(std::span<const KernelVariant* const> variants, int64_t threads, codegen::Compiler* compiler);
  /// A user's kernel has been queued: a failure names it.
  void note_launch(std::string_view kernel, const RunWindow& window) {
    Work& work = work_[queued_++ % work_.size()];
    work.form = nullptr;
    work.kernel = kernel;
    work.task = window.task;
  }
  /// Hand-built kernels, outside of any plan.
  RoutineRunner& routines() { return routines_; }
  /// Waits for the queued work and reports its floating-point events to the windows that recorded it.
  void collect_events();
  /// Copies a version that only the device has to the host together with the events, in one synchronisation.
  void copy_to_host(graph::Version& version, const UnlockHooks& hooks);
  /// What is queued by now.
  struct Queued {
    std::unique_ptr<runtime::Event> point{};  // null: where waiting computes, or nothing can
    uint64_t number = 0;
  };
  Queued mark();
  /// Waits for it, with the caller's lock released, and reports the events of what was queued.
  void wait_for(const Queued& queued, const UnlockHooks& hooks);

  /// Nodes and launches queued since the last synchronisation, oldest first; only the most recent when there are many.
  struct Work {
    Ref<const graph::Form> form;
    uint64_t site = 0;
    std::string kernel{};                       // of a user's launch, which has no form
    std::shared_ptr<const std::string> task{};  // RunWindow::task
  };
  std::vector<Work> unanswered() const;

  /// Whether TESSERA_DEVICE_WAIT is set: each op is run and waited for on its own, so that a failure is attributed to
  /// it.
  static bool waits();

  runtime::Device& device() { return device_; }
  const std::string& problem() const { return kernels_.problem(); }

 private:
  /// The last launch of a double-buffered reduction: the stream's request count after it, and the memory it writes.
  struct LastReduction {
    uint64_t requests = 0;
    std::vector<std::pair<const char*, const char*>> written{};
    bool leaves(const runtime::Buffer& buffer) const {
      const char *begin = buffer.data(), *end = begin + buffer.nbytes();
      return std::none_of(written.begin(), written.end(),
                          [&](const auto& range) { return begin < range.second && range.first < end; });
    }
  };
  class Passage;  // of one kernel's operands through the device, in tiles
  void spread_plan(const plan::Plan& plan, DevicePlan& bound);
  void find_parts(const plan::Plan& plan, DevicePlan& bound, codegen::Compiler* compiler);
  const char* find_ticket(size_t number);
  /// Switches to programs that have been compiled meanwhile.
  void renew(const plan::Plan& plan, DevicePlan& bound);
  void queue(const plan::Plan& plan, const DevicePlan& bound, const PlanParts& parts, const plan::Request& request,
             PlanMemory& memory, int64_t flag);
  void queue_or_replay(const plan::Plan& plan, DevicePlan& bound, const PlanParts& parts, const plan::Request& request,
                       PlanMemory& memory, int64_t flag);
  runtime::Begin order_reduction(const plan::Plan& plan, const DevicePlan& bound, size_t k, const PlanMemory& memory);
  void launch(const DevicePlan::DeviceStep& bound, std::span<const char> block, char* place, runtime::Begin begin);
  /// After events were handed out, which waits for the device.
  void note_answers(uint64_t collections_before) {
    if (events_.collections() != collections_before) answered_ = queued_;
  }
  void note_work(const plan::Request& request, const RunWindow& window);

  runtime::Device& device_;
  DeviceKernels kernels_;
  codegen::Compiler* compiler_ = nullptr;
  RoutineRunner routines_;
  BoxCopies copies_;
  EventWords events_;
  LastReduction last_reduction_;
  Ref<runtime::Buffer> tickets_;
  std::array<Work, 64> work_;  // ring buffer
  uint64_t queued_ = 0;        // nodes queued so far
  uint64_t answered_ = 0;      // nodes known to be done
  bool has_launched_ = false;  // some kernel or copy of the plan that is being queued
};

}  // namespace tessera::engine
