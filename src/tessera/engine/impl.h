/// Engine::Impl: what the files of this room share.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "tessera/engine/device/call_history.h"
#include "tessera/engine/device/credits.h"
#include "tessera/engine/device/device_runner.h"
#include "tessera/engine/device/machine_facts.h"
#include "tessera/engine/engine.h"
#include "tessera/engine/kernel_cache.h"
#include "tessera/engine/recorder.h"
#include "tessera/engine/runner.h"
#include "tessera/plan/planner.h"

namespace tessera {

namespace engine {
/// This thread's window, or null before it has recorded anything.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Recorder* own_recorder;
}  // namespace engine

struct Engine::Impl {
  Impl();

  /// This thread's window.
  engine::Recorder& recorder() { return engine::own_recorder ? *engine::own_recorder : join(); }
  engine::Recorder& join();
  /// Runs the nodes before `end`. Throws OutOfMemory with the nodes it could not run still pending.
  void run_until(engine::Recorder& window, int64_t end);
  /// The same beside the program when that is worth it.
  void start_until(engine::Recorder& window, int64_t end);
  /// Either of them.
  void execute(engine::Recorder& window, int64_t end, bool beside);
  /// In two halves, and so on: what did not fit together may fit apart, and what fails in the end is known. Nodes that
  /// need lost elements have lost ones then.
  void run_apart(engine::Recorder& window, int64_t end);
  /// The nodes before `end` as one plan: on failure nothing has happened.
  void run_together(engine::Recorder& window, int64_t end, bool beside);
  /// Runs whatever the version waits for, in whichever window that is.
  void finish(const graph::Version& version);
  /// The storage's contents, no longer pending: meanwhile other threads may have put other ones there.
  Ref<graph::Version> finished(const graph::Storage& storage);
  /// Runs what the version waits for and brings the elements to host memory.
  void settle(graph::Version& version);
  /// Runs the plan on the window's device; false when it has to run on the host.
  bool run_on_device(const std::shared_ptr<engine::BoundPlan>& plan, const plan::Request& request,
                     engine::Recorder& window, runtime::Device& device);
  /// The same for a plan with arrays larger than the device, which go through it in parts; they stay on the host.
  bool stream_through(const std::shared_ptr<engine::BoundPlan>& plan, const plan::Request& request,
                      engine::Recorder& window, runtime::Device& device);
  /// Counts and says that the request is too large for the device; false.
  bool refuse_device(const plan::Request& request, int64_t nbytes, const runtime::Device& device);
  /// Counts something that went to the host for a reason of this name, which is said once.
  void note_missing(const std::string& what, const std::string& message);
  /// Enters an array that no node makes into the list of large arrays.
  void note_large(const Array& array);
  std::string describe_site(uint64_t site) const { return sites.describe ? sites.describe(site) : std::string(); }
  /// Where a plan of a window with a choice runs sooner; null: on the host.
  runtime::Device* place(const std::shared_ptr<engine::BoundPlan>& plan, const plan::Request& request,
                         engine::Recorder& window);
  /// The same for a call of a routine or a library, whose operands are moved there.
  runtime::Device* place_call(std::span<const Array* const> operands, const engine::CallCost& cost);
  runtime::Device* choose_for_call(engine::Stakes& stakes, const engine::CallCost& cost, engine::Recorder& window);
  /// Of a plan on the host: as it was measured, else by those of its size.
  double host_time(const engine::BoundPlan& bound, const engine::MachineFacts& facts);
  void note_host_time(engine::BoundPlan& bound, double seconds);
  /// Measured when the device is first weighed; what is usual while there is none.
  const engine::MachineFacts& facts_of(runtime::Device* device);
  /// Until the plan could run there; `moves`: it would bring operands along.
  double time_to_make(engine::BoundPlan& bound, engine::Recorder& window, runtime::Device* device, bool moves);
  /// Begins to make what is missing, in the background.
  void get_ready(engine::BoundPlan& bound, engine::Recorder& window, runtime::Device* device);
  /// Whether all that a device would have saved so far is worth opening one.
  bool opens_early(double gain, engine::Prospect& prospect);
  /// A version that no node makes begins with what such versions have earned, or with what the call that makes it
  /// passes on.
  void enter(graph::Version& version, bool on_device);
  /// Where this thread's work, or the call that runs now, was sent; null: nowhere.
  runtime::Device* device_here();
  /// Others see memory on a device from now on: what works on it is placed there.
  void expect_lent();
  /// Elements from outside, where arrays like this one have earned their way to the device; null: elsewhere.
  Ref<graph::Version> enter_on_device(const char* data, int64_t nbytes);
  engine::DeviceRunner& runner_of(runtime::Device& device);
  /// The storage's only contents in the device's memory, for writing; null when others see them elsewhere.
  Ref<runtime::Buffer> own_on_device(graph::Storage& storage, runtime::Device& device);
  /// Opens the compiler and the driver's assembler beside the program: it takes 40 ms and would stand before the first
  /// result.
  void warm_up(runtime::Device& device);
  /// Of those in use; null when none failed.
  runtime::Device* find_failed_device();
  /// Runs the pending nodes that name the version.
  void settle_users(const graph::Version& version);
  /// Gives the storage contents of its own, so that it can be written where it lies.
  void make_exclusive(graph::Storage& storage);
  /// Called after every recorded node.
  void after_record(engine::Recorder& window, bool run_now) {
    if (run_now || !options.lazy) [[unlikely]]
      return run_until(window, window.end());
    const int64_t due = window.due(options.window_limit, options.wave_bytes);
    if (due > window.begin()) [[unlikely]]
      start_until(window, due);
  }

  /// This thread's window, once nobody runs it.
  engine::Recorder& open_recorder() {
    engine::Recorder& window = recorder();
    while (window.running) [[unlikely]]
      wait_for_runner();
    return window;
  }
  /// Before a node names the array: runs other threads' nodes that make it. True when it did: other arrays may have
  /// become pending meanwhile.
  bool finish_elsewhere(const Array& array, engine::Recorder& window) {
    const graph::Version& version = *array.storage->current;
    if (!version.window || version.window == &window) [[likely]]
      return false;
    finish(version);
    while (window.running) wait_for_runner();
    return true;
  }
  /// An operand that is not pending elsewhere, in a node to come. True when others see its memory, which is then read
  /// at once.
  static bool is_pinned_operand(const Array& array) {
    if (array.storage->pins == 0) [[likely]]
      return false;
    array.storage->current->foreign = true;
    return true;
  }
  /// Commits the node and gives it a version of its own to make; returns a storage that holds it.
  Ref<graph::Storage> commit_fresh(engine::Recorder& window, graph::Node& node, int64_t offset);
  /// Records one elementwise node and returns its fresh result, laid out as `layout` (over `shape`). The form is
  /// remembered under `key`; 0 stands for its own hash.
  Array record_map(const ops::Op& op, const ops::Signature& signature, int result, std::span<const Operand> operands,
                   const View& layout, const Context& context, uint64_t key = 0);
  /// Engine::record_binary when nothing like it has been seen.
  Array record_new_binary(const ops::Op& op, const ops::Signature& signature, const Array* a, const Array* b,
                          const Scalar& scalar, const Context& context, uint64_t key);
  Array record_reduction(const ops::Op& op, ir::ReduceKind kind, const Array& source, std::span<const int> axes,
                         DType dtype, const Context& context);
  /// Of the array, which has the destination's shape, or of the scalar when it is null.
  /// A write whose elements meet in memory: one after the other, so that the last one stays whatever runs beside it.
  void write_in_order(const Array& destination, const Array& source, const Context& context);
  /// `apart`: source and destination lie in one version and share no byte of it.
  void record_write(const Array& destination, const Array* source, const Scalar& scalar, const Context& context,
                    bool apart = false);
  void commit_write(engine::Recorder& window, graph::Node& node, const Array& destination, const Array* source,
                    const Scalar& scalar, uint64_t site);
  /// Engine::assign of a source that has the destination's shape.
  void assign_array(const Array& destination, const Array& source, const Context& context);

  std::shared_ptr<engine::CachedKernel> host_routine(const engine::DeviceRoutine& routine);
  /// The plan, and whether it was known.
  std::pair<std::shared_ptr<engine::BoundPlan>, bool> find_plan(const plan::Request& request);
  void forget_old_plans();
  bool must_wait(const engine::Recorder& window) const {
    return window.running || (forker != std::thread::id() && forker != std::this_thread::get_id());
  }
  void wait_for_runner();

  static constexpr size_t most_plans = 4096;

  Options options;
  engine::UnlockHooks hooks;
  SiteHooks sites;
  engine::KernelCache kernels;
  engine::Runner runner{kernels, hooks};
  std::unordered_map<uint64_t, std::shared_ptr<engine::BoundPlan>> plans;
  std::unordered_map<std::string, std::shared_ptr<engine::CachedKernel>> host_routines;  // by name
  uint64_t plan_clock = 0;
  std::vector<std::unique_ptr<engine::Recorder>> recorders;
  std::vector<std::unique_ptr<engine::DeviceRunner>> device_runners;  // one a device in use
  bool is_warm = false;
  runtime::Device* default_device = nullptr;  // of threads that did not choose
  engine::Prospect* default_choice = nullptr;
  std::optional<engine::MachineFacts> machine;  // measured when a plan is first worth it
  bool device_has_results = false;              // of plans and calls that chose it
  engine::Origins origins;
  engine::CallHistory calls;
  double copy_seconds_a_byte = 0;    // of arrays from outside, on the host; 0: not known
  engine::Regret opening_regret;     // of all plans and calls while no device is open
  std::vector<std::string> missing;  // libraries whose absence was said
  std::vector<std::string> notices;  // not said yet
  int waiting = 0;                   // threads in wait_for_runner
  std::thread::id forker;            // while it forks no other thread may begin to run a window
  std::mutex runner_mutex;
  std::condition_variable runner_done;
};

}  // namespace tessera
