/// Settings: the part of the engine that says how it runs, for all threads or for the calling one, and reports about
/// it.
#pragma once

#include <string>
#include <vector>

#include "tessera/engine/support/context.h"
#include "tessera/engine/support/options.h"
#include "tessera/graph/array.h"

namespace tessera {

namespace engine {
struct State;
class Forecast;
struct MachineOfPlaces;
}  // namespace engine

/// One of the larger live arrays: where its elements are and which source line made it.
struct LargeArray {
  Dims shape;
  DType dtype;
  int64_t nbytes;
  std::string where;  // "cpu", "gpu:0", or several
  std::string maker;  // as returned by SiteHooks::describe; may be empty
};

/// Options, the callers' hooks, where a thread's work runs, and what a process says about its engine.
class Settings {
 public:
  using Options = engine::Options;
  using Compile = engine::Compile;

  explicit Settings(engine::State& state) : state_(&state) {}

  Options& options();
  /// Promises that runtime::stop_background is called before the process exits; the compiler may then be opened in the
  /// background.
  void expect_stop();
  /// Applies changes made through options().
  void apply_options();
  /// Sets where this thread's recorded work runs: "cpu", "gpu", "gpu:1", "gpu:0-1", "auto" or, for tests,
  /// "simulated", "simulated:3". Work
  /// recorded before runs first; if that fails it stays recorded, and the setting takes effect all the same. Throws
  /// ValueError for other names and RuntimeError when there is no such device.
  void set_device(const std::string& where);
  /// As if there were places of ranks, of which none is there: what they would do is forecast
  /// (device/tiled/forecast.h).
  void begin_forecast(const engine::MachineOfPlaces& machine);
  /// Runs what is recorded and returns what was forecast.
  const engine::Forecast& forecast();
  std::string device();
  /// Makes this process one of `size` ranks, which a launcher started (comm/world.h has `library`): arrays are cut over
  /// all of them from now on, and this one's parts are on `processor`: "cpu", "gpu:1", "simulated". Say first how long
  /// to wait for others, in seconds.
  void join_ranks(const std::string& library, int size, double notice, double deadline, const std::string& processor);
  /// Why the device runs less work than it could; empty when there is no problem.
  std::string device_problem();
  /// Why there is no native code on this machine; empty when there is.
  std::string compiler_problem();
  /// The pending window, its kernels, why they are not fewer, and the plan, as text (plan/planner.h).
  std::string explain();
  /// Hooks for the caller's lock (in Python the GIL) that serialises all calls into one engine: the engine releases it
  /// with `unlock` around long work and takes it back with `lock`.
  void set_lock_hooks(void* (*unlock)(), void (*lock)(void* state));
  /// Releases that lock for long work outside the engine; pass the returned state to `lock`.
  void* unlock();
  void lock(void* state);
  void set_site_hooks(const SiteHooks& hooks);
  /// The largest live arrays, largest first; arrays under 256 KiB are left out.
  std::vector<LargeArray> largest_arrays(size_t count);
  /// After a DeviceFailure: the operations that may have failed, and how to continue.
  std::string describe_failure();
  /// "multiply of shape (3,), recorded at prog.py:7": the recorded operation that failed with this error, wherever it
  /// was raised; empty for other errors.
  std::string describe_failed(const std::exception& error);
  /// Names what this thread works for until it is set again, a task of Dask for one; empty for nothing. Errors met
  /// later in what it recorded name it. Returns what was set before.
  std::string set_task(const std::string& task);
  std::string task() const;
  /// Call before fork, on the forking thread: waits until no window runs and lets none start, so that every window is
  /// consistent in the child.
  void prepare_fork();
  /// Call after fork, in both processes. In the child, windows of threads that do not exist there become free for other
  /// threads.
  void resume_after_fork(bool in_child);

 private:
  void begin_ranks();

  engine::State* state_;
};

}  // namespace tessera
