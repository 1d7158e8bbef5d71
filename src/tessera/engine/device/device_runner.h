/// DeviceRunner: executes plans on one device. Work is queued; what floating-point events it raises is read when
/// somebody waits.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "tessera/engine/device/device_kernels.h"
#include "tessera/engine/device/device_plan.h"
#include "tessera/engine/device/routines/device_routine.h"
#include "tessera/engine/recorder.h"
#include "tessera/engine/unlocked.h"
#include "tessera/plan/planner.h"

namespace tessera::engine {

class PlanMemory;

class DeviceRunner {
 public:
  explicit DeviceRunner(runtime::Device& device);

  std::shared_ptr<DevicePlan> bind(const plan::Plan& plan, codegen::Compiler* compiler);
  /// How many different kernels of the plan are not compiled yet; when it `begins`, that is done beside the program.
  int count_unready(const plan::Plan& plan, codegen::Compiler* compiler, bool begins);
  /// Queues every step, then settles the versions the plan produces. `bound` must be complete. Throws OutOfMemory
  /// before anything was queued.
  void run(const plan::Plan& plan, DevicePlan& bound, const plan::Request& request, Recorder& window);
  /// One kernel over host memory of any size, which goes through the device in parts; false when nothing was done.
  bool run_by_tiles(const plan::KernelStep& step, const ir::KernelArguments& arguments, codegen::Compiler* compiler);
  static bool can_tile(const plan::KernelStep& step);
  /// Queues kernels outside of any plan, those that are new compiled at once; false, and nothing done, when one has no
  /// form for the device.
  bool run(std::span<const DeviceRoutine> routines, codegen::Compiler* compiler);
  bool run(const DeviceRoutine& routine, codegen::Compiler* compiler) { return run(std::span(&routine, 1), compiler); }
  bool is_compiled(const DeviceRoutine& routine);
  /// Memory that is 0 between launches of routines.
  const char* zeros(size_t nbytes);
  /// Whether its kernel can be had without compiling; else that is done beside the program.
  bool is_ready(const DeviceRoutine& routine, codegen::Compiler* compiler);
  /// Waits for the queued work and hands its floating-point events to the windows that recorded it.
  void collect_events();
  /// Brings home what the device alone has of a version, and the events with it: one wait for both.
  void bring_home(graph::Version& version, const UnlockHooks& hooks);
  void synchronize();

  /// What was queued since the device last answered, oldest first; the last of it when that is much.
  struct Work {
    Ref<const graph::Form> form;
    uint64_t site = 0;
  };
  std::vector<Work> unanswered() const;

  /// Whether TESSERA_DEVICE_WAIT has each op run and waited for by itself, so that a failure is its own.
  static bool waits();

  runtime::Device& device() { return device_; }
  const std::string& problem() const { return kernels_.problem(); }

 private:
  struct RoutineKernel {
    WantedKernel wanted;
    DeviceKernel* on_device = nullptr;
  };
  /// The last launch of a fold that read ahead: what the stream had been asked for with it, and the memory it writes.
  struct LastReduction {
    uint64_t requests = 0;
    std::vector<std::pair<const char*, const char*>> written{};
    bool leaves(const runtime::Buffer& buffer) const {
      const char *begin = buffer.data(), *end = begin + buffer.nbytes();
      return std::none_of(written.begin(), written.end(),
                          [&](const auto& range) { return begin < range.second && range.first < end; });
    }
  };
  struct Pending {
    int64_t word;
    Recorder* window;
    Watch watch;
  };
  /// The event words that are in use, as they are to come home.
  std::vector<runtime::CopyOut> event_pieces(std::vector<uint32_t>& words) const;
  void hand_out(const std::vector<uint32_t>& words);
  void copy_boxes(const char* from, char* to, const std::vector<plan::ByteBox>& boxes);
  bool copy_few_boxes(const char* from, char* to, std::span<const plan::ByteBox> boxes);
  void move(const plan::MoveSet& set, const plan::Request& request, const std::function<char*(int32_t slot)>& memory);
  RoutineKernel& find_routine(const DeviceRoutine& routine);
  /// Compiles the routines' kernels; false when one has no form for the device.
  bool prepare(std::span<const DeviceRoutine> routines, codegen::Compiler* compiler);
  void spread_plan(const plan::Plan& plan, DevicePlan& bound);
  void find_parts(const plan::Plan& plan, DevicePlan& bound, codegen::Compiler* compiler);
  const char* find_ticket(size_t number);
  void reserve_flags(int64_t count);
  class Passage;
  bool reserve_own_flags(DevicePlan& bound);
  /// The number of the first of the plan's event words; remembers who wants to hear of them.
  int64_t watch_flags(const plan::Plan& plan, DevicePlan& bound, const plan::Request& request, Recorder& window);
  /// Changes to what programs have been made meanwhile.
  void renew(const plan::Plan& plan, DevicePlan& bound);
  void queue(const plan::Plan& plan, const DevicePlan& bound, const PlanParts& parts, const plan::Request& request,
             PlanMemory& memory, int64_t flag);
  void queue_or_replay(const plan::Plan& plan, DevicePlan& bound, const PlanParts& parts, const plan::Request& request,
                       PlanMemory& memory, int64_t flag);
  runtime::Begin order_reduction(const plan::Plan& plan, const DevicePlan& bound, size_t k, const PlanMemory& memory);
  void launch(const DevicePlan::DeviceStep& bound, std::span<const char> block, char* place, runtime::Begin begin);
  void note_work(const plan::Request& request);

  runtime::Device& device_;
  DeviceKernels kernels_;
  codegen::Compiler* compiler_ = nullptr;
  std::unordered_map<std::string, RoutineKernel> routines_;  // by name
  LastReduction last_reduction_;
  Ref<runtime::Buffer> tickets_, zeros_;
  Ref<runtime::Buffer> flags_;  // the event words of all work not collected yet
  int64_t flags_used_ = 0;      // of the words that runs share
  int64_t own_flags_used_ = 0;  // of those that plans own
  uint64_t collections_ = 1;
  std::vector<Pending> pending_;
  std::array<Work, 64> work_;  // a ring
  uint64_t queued_ = 0;        // nodes so far
  uint64_t answered_ = 0;      // of which are known to be done
};

}  // namespace tessera::engine
