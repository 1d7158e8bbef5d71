/// State: an engine's state and the functions shared by this folder's files.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "tessera/engine/call/launch_shape.h"
#include "tessera/engine/call/user_kernel.h"
#include "tessera/engine/context.h"
#include "tessera/engine/device/placement/call_history.h"
#include "tessera/engine/device/placement/credits.h"
#include "tessera/engine/device/placement/machine_facts.h"
#include "tessera/engine/device/run/device_runner.h"
#include "tessera/engine/failed_nodes.h"
#include "tessera/engine/kernel_cache.h"
#include "tessera/engine/limits.h"
#include "tessera/engine/options.h"
#include "tessera/engine/recorder.h"
#include "tessera/engine/runner.h"
#include "tessera/graph/array.h"
#include "tessera/ops/routine.h"
#include "tessera/plan/planner.h"

namespace tessera::routines {
struct CallBase;
struct Entry;
struct HostCall;
struct KernelLaunch;
}  // namespace tessera::routines

namespace tessera::engine {

struct CallOperands;
struct Work;

/// This thread's window in the engine that it used last.
struct OwnRecorder {
  Recorder* recorder = nullptr;
  uint64_t engine = 0;  // State::number
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local OwnRecorder own_recorder;

struct State {
  State();

  /// This thread's window; created on first use.
  Recorder& recorder() {
    Recorder* window = recorder_if_any();
    return window ? *window : join();
  }
  /// The same, or null when this thread did not use this engine last.
  Recorder* recorder_if_any() const { return own_recorder.engine == number ? own_recorder.recorder : nullptr; }
  Recorder& join();
  /// Runs the nodes before `end` and waits for host work. Nodes that fail, and those that need them, go to `failed`.
  void run_until(Recorder& window, int64_t end);
  /// As run_until, but runs the nodes in the background when the plan is small enough.
  void start_until(Recorder& window, int64_t end);
  /// Implements both: `beside` allows running in the background.
  void execute(Recorder& window, int64_t end, bool beside);
  /// After the nodes before `end` failed together: halves them recursively and runs the parts, which may fit in memory
  /// where the whole did not, until the nodes that fail are identified.
  void run_apart(Recorder& window, int64_t end, const std::exception_ptr& error);
  /// Moves the nodes before `end` to `failed`. Those that need lost elements get lost results instead.
  void fail(Recorder& window, int64_t end, std::exception_ptr error);
  /// Runs again what failed before and makes the version.
  void retry(const graph::Version& version);
  /// Runs the whole window; throws if its last node fails.
  void run_to_end(Recorder& window);
  /// Runs the nodes before `end` as one plan; on failure nothing has changed.
  void run_together(Recorder& window, int64_t end, bool beside);
  /// Its second part: runs the plan, which was cached if `found`, on the host or a device.
  void run_plan(const std::shared_ptr<BoundPlan>& plan, bool found, const plan::Request& request, Recorder& window,
                bool beside);
  /// Runs the first node, a call, and removes it from the window; on failure nothing has changed.
  void run_call_node(Recorder& window);
  /// Makes the results of a call, on the host or a device. The operands are not pending. `written` is the array of the
  /// first of them if the routine writes it.
  void run_call(graph::Call& call, Recorder& window, uint64_t site, uint32_t watched_events = 0,
                const Array* written = nullptr);
  bool run_call_on_device(graph::Call& call, const routines::Entry& entry, Recorder& window, runtime::Device& device,
                          uint64_t site, const Array* written);
  void run_call_on_host(graph::Call& call, const routines::Entry& entry, Recorder& window, uint64_t site,
                        uint32_t watched_events, const Array* written);
  /// Where the call runs: the device set for the window or, where each operation may choose, the cheaper side.
  runtime::Device* device_of_call(const graph::Call& call, const routines::Entry& entry, Recorder& window);
  /// Runs a call on small settled host arrays at once; false, with nothing done, for others.
  bool try_eager_call(const routines::Entry& entry, std::span<const Array> operands, const ops::Arguments& arguments,
                      const Context& context, std::span<const ops::ResultType> types, std::span<Array> results);
  /// Runs a call that is not recorded.
  void call_now(graph::Call& call, std::span<const Array* const> operands, std::span<Array> results,
                const Context& context);
  /// Implements Recording::launch for checked arguments. False: the device cannot compile the kernel.
  bool launch_on_device(UserKernel& kernel, const LaunchShape& shape, std::span<const Array> arrays,
                        std::span<const Scalar> scalars, runtime::Device& device);
  void launch_on_host(UserKernel& kernel, const LaunchShape& shape, std::span<const Array> arrays,
                      std::span<const Scalar> scalars);
  void record_call(const Ref<graph::Call>& call, std::span<const Array* const> operands,
                   std::span<const ops::ResultType> types, std::span<Array> results, const Context& context);
  /// Runs the window that makes the version until the version is no longer pending.
  void finish(const graph::Version& version);
  /// The storage's current version, no longer pending; retries when other threads replace the version meanwhile.
  Ref<graph::Version> finished(const graph::Storage& storage);
  /// Runs what makes the version, waits for it, and copies the elements to host memory.
  void settle(graph::Version& version);
  /// Runs the plan on the device; false when it has to run on the host.
  bool run_on_device(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request, Recorder& window,
                     runtime::Device& device);
  /// As run_on_device, for a plan with arrays larger than the device: they are processed in parts and stay on the host.
  bool stream_through(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request, Recorder& window,
                      runtime::Device& device);
  /// Counts and reports that the request is too large for the device; returns false.
  bool refuse_device(const plan::Request& request, int64_t nbytes, const runtime::Device& device);
  /// Counts work that fell back to the host for the reason `what`; the message is queued for the user once.
  void note_missing(const std::string& what, const std::string& message);
  /// Adds an array that no node makes to the list of large arrays.
  void note_large(const Array& array);
  /// The site to record: that of the caller, or the line that runs now for what the engine records of its own.
  uint64_t site_of(const Context& context) const {
    return context.site || !sites.current ? context.site : sites.current();
  }
  std::string describe_site(uint64_t site) const { return sites.describe ? sites.describe(site) : std::string(); }
  void give_up_device(Recorder& window, std::string_view for_good = {});
  /// The device that runs the plan, or null for the host: the device set for the window or, where each operation may
  /// choose, the side that takes less time.
  runtime::Device* place_plan(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request, Recorder& window);
  /// Of several equal devices that are set for the window.
  runtime::Device* choose_equal_for_plan(BoundPlan& bound, const plan::Request& request, Recorder& window);
  runtime::Device* choose_for_plan(const std::shared_ptr<BoundPlan>& plan, const plan::Request& request,
                                   Recorder& window);
  /// The same for a call of a routine or a library; where each operation may choose, the operands are copied to the
  /// chosen device.
  runtime::Device* place_call(const CallOperands& operands, const CallCost& cost, Recorder& window);
  runtime::Device* place_call(std::span<const Array* const> operands, const CallCost& cost);
  /// The same for a launch of a user's kernel; one on a user's stream runs on the stream's device.
  runtime::Device* place_launch(const UserKernel& kernel, const LaunchShape& shape, std::span<const Array> arrays,
                                Recorder& window);
  runtime::Device* choose_equal_for_call(std::span<const Ref<graph::Version>> versions, int64_t nbytes,
                                         Recorder& window);
  runtime::Device* choose_for_call(OperandCredits& stakes, const CallCost& cost, Recorder& window);
  /// Whether the call in progress is to be timed on the host although it could run in the background.
  bool waits_to_time_call();
  /// Whether the array is so large that a device is asked about what the host could do with it at once.
  bool is_chosen_for(const Array& array);
  /// The decision between host and device, for all that may choose; a trace notes it.
  static Choice decide(const Weighed& weighed, Regret& regret);
  /// Its device, which is opened if that pays; null: the host.
  runtime::Device* choose(const Work& work, Recorder& window);
  /// Expected seconds of the plan on the host: as measured, or else estimated from plans of similar size.
  double host_time(const BoundPlan& bound, const MachineFacts& facts);
  void note_host_time(BoundPlan& bound, double seconds);
  /// The same of a plan that was queued on the device; nothing for one that went through it in parts.
  void note_device_time(BoundPlan& bound, runtime::Device& device, double seconds);
  /// Measured when a device is first considered; typical values while there is none.
  const MachineFacts& facts_of(runtime::Device* device);
  /// Seconds until the plan could run on the device.
  double time_to_make(BoundPlan& bound, Recorder& window, runtime::Device* device, const OperandCredits& operands);
  /// Starts to open the device or to compile the plan's kernels in the background.
  void get_ready(BoundPlan& bound, Recorder& window, runtime::Device* device);
  /// Whether the time that a device would have saved so far justifies opening one.
  bool opens_early(double gain, Prospect& prospect);
  /// Sets the credit and origin of a version that no node makes: from earlier arrays of the same origin, or from the
  /// call in progress.
  void enter(graph::Version& version, bool on_device);
  /// The device that this thread's work, or the call in progress, was sent to; null: none.
  runtime::Device* device_here();
  /// Device memory is shared with other code from now on: work that uses it is placed on that device.
  void expect_lent();
  /// Copies elements from outside to the device if arrays of this origin have saved enough time there; else null.
  Ref<graph::Version> enter_on_device(const char* data, int64_t nbytes);
  DeviceRunner& runner_of(runtime::Device& device);
  /// The storage's only contents, in the device's memory, for writing; null when they are shared elsewhere.
  Ref<runtime::Buffer> own_on_device(graph::Storage& storage, runtime::Device& device);
  /// Opens the compiler and the driver's assembler in the background, which would delay the first result by 40 ms.
  void warm_up(runtime::Device& device);
  /// A device in use that has failed; null when none has.
  runtime::Device* find_failed_device();
  /// Runs the pending nodes that use the version; those that failed keep using it.
  void settle_users(const graph::Version& version);
  /// Gives the storage contents that it shares with no other storage or pending node, so that it can be written in
  /// place.
  void make_exclusive(graph::Storage& storage);
  /// Called after every recorded node.
  void after_record(Recorder& window, bool run_now) {
    if (run_now || !options.lazy) [[unlikely]]
      return run_to_end(window);
    const int64_t due = window.due(options.window_limit, options.wave_bytes);
    if (due > window.begin()) [[unlikely]]
      start_until(window, due);
  }

  /// This thread's window, after waiting until no thread runs it.
  Recorder& open_recorder() {
    Recorder& window = recorder();
    while (window.running) [[unlikely]]
      wait_for_runner();
    return window;
  }
  /// Call before a node uses the array: runs other threads' nodes that make it. Returns true when it did so; other
  /// arrays may have become pending meanwhile.
  bool finish_elsewhere(const Array& array, Recorder& window) {
    const graph::Version& version = *array.storage->current;
    if (!version.window || version.window == &window) [[likely]]
      return false;
    finish(version);
    while (window.running) wait_for_runner();
    return true;
  }
  /// For an operand of a node to be recorded, which is not pending in another window. True when its memory is shared
  /// with other code, so that it must be read at once.
  static bool is_pinned_operand(const Array& array) {
    if (array.storage->pins == 0) [[likely]]
      return false;
    array.storage->current->foreign = true;
    return true;
  }
  /// Commits the node, creates the version that it makes, and returns a storage that holds it.
  Ref<graph::Storage> commit_fresh(Recorder& window, graph::Node& node, int64_t offset);
  /// Records one elementwise node and returns its fresh result with `layout` (over `shape`). The form is cached under
  /// `key`; 0 stands for the form's own hash.
  Array record_map(const ops::Op& op, const ops::Signature& signature, int result, std::span<const Operand> operands,
                   const View& layout, const Context& context, uint64_t key = 0);
  /// Implements Recording::record_binary when no form is cached for it.
  Array record_new_binary(const ops::Op& op, const ops::Signature& signature, const Array* a, const Array* b,
                          const Scalar& scalar, const Context& context, uint64_t key);
  /// A copy in C order of a transposed array, made at once where the host has it and no device is chosen.
  std::optional<Array> try_copy_tiles(const Array& source);
  Array record_reduction(const ops::Op& op, ir::ReduceKind kind, const Array& source, std::span<const int> axes,
                         DType dtype, const Context& context);
  /// A write whose target elements overlap in memory: stores them sequentially, so that the last one prevails as in
  /// NumPy.
  void write_in_order(const Array& destination, const Array& source, const Context& context);
  /// Records a write of the array, which has the destination's shape, or the scalar when it is null. `apart`: source
  /// and destination are in one version and share no byte of it.
  void record_write(const Array& destination, const Array* source, const Scalar& scalar, const Context& context,
                    bool apart = false);
  void commit_write(Recorder& window, graph::Node& node, const Array& destination, const Array* source,
                    const Scalar& scalar, uint64_t site);
  /// Implements Recording::assign for a source that has the destination's shape.
  void assign_array(const Array& destination, const Array& source, const Context& context);

  std::shared_ptr<CachedKernel> host_routine(const routines::KernelLaunch& routine);
  /// The plan for the request, and whether it was cached.
  std::pair<std::shared_ptr<BoundPlan>, bool> find_plan(const plan::Request& request);
  void forget_old_plans();
  bool must_wait(const Recorder& window) const {
    return window.running || (forker != std::thread::id() && forker != std::this_thread::get_id());
  }
  void wait_for_runner();

  const uint64_t number;  // unique among engines; never 0
  Options options;
  UnlockHooks hooks;
  SiteHooks sites;
  KernelCache kernels;
  Runner runner{kernels, hooks};
  std::unordered_map<uint64_t, std::shared_ptr<BoundPlan>> plans;
  std::unordered_map<std::string, std::shared_ptr<CachedKernel>> host_routines;  // by name
  UserKernels user_kernels;
  uint64_t plan_clock = 0;
  std::vector<std::shared_ptr<Recorder>> recorders;
  FailedNodes failed{number};
  std::vector<std::unique_ptr<Recorder>> retries;  // windows in which failed nodes run again; used one by one
  std::vector<Recorder*> free_retries;
  std::vector<std::unique_ptr<DeviceRunner>> device_runners;  // one for each device in use
  bool is_warm = false;
  DeviceSet* default_devices = nullptr;  // of threads that have not set any
  Prospect* default_choice = nullptr;
  double to_device_alone = 0;           // bytes a second to a device, as measured with nothing else under way
  std::optional<MachineFacts> machine;  // measured when a plan is first worth running on a device
  bool device_has_results = false;      // some plan or call has chosen the device
  Origins origins;
  CallHistory calls;
  double copy_seconds_a_byte = 0;    // to copy arrays from outside on the host; 0: not measured
  Regret opening_regret;             // over all plans and calls while no device is open
  std::vector<std::string> missing;  // missing libraries that were reported
  std::vector<std::string> notices;  // not reported yet
  int waiting = 0;                   // threads in wait_for_runner
  std::thread::id forker;            // while it forks, no other thread may start to run a window
  std::mutex runner_mutex;
  std::condition_variable runner_done;
};

}  // namespace tessera::engine
