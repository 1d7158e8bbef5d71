/// Engine: records operations, plans them and runs them. The public C++ API; the Python front end is one of its
/// callers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/eager/array_memory_error.h"
#include "tessera/graph/array.h"
#include "tessera/ops/op.h"
#include "tessera/ops/routine.h"

namespace tessera::runtime {
class Buffer;
class Device;
}  // namespace tessera::runtime

namespace tessera::routines {
struct Entry;
struct KernelLaunch;
}  // namespace tessera::routines

namespace tessera {

/// NumPy's errstate: one mode for each kind of floating-point event.
enum class ErrorMode : uint8_t { ignore, warn, raise, call, print, log };
struct ErrorState {
  ErrorMode divide = ErrorMode::warn;
  ErrorMode over = ErrorMode::warn;
  ErrorMode under = ErrorMode::ignore;
  ErrorMode invalid = ErrorMode::warn;
  friend bool operator==(const ErrorState&, const ErrorState&) = default;
};

/// Floating-point events (status flags) raised by `op`; `site` is the token that was passed when it was recorded (a
/// source line).
struct FloatReport {
  ops::OpId op;
  uint32_t events;  // ir::FloatEvent bits
  uint64_t site;
};

/// One of the larger live arrays: where its elements are and which source line made it.
struct LargeArray {
  Dims shape;
  DType dtype;
  int64_t nbytes;
  std::string where;  // "cpu", "gpu:0" or both
  std::string maker;  // as returned by SiteHooks::describe; may be empty
};

/// Callbacks of the caller for sites, the tokens that recorded ops carry.
struct SiteHooks {
  uint64_t (*current)() = nullptr;              // the site that runs now
  std::string (*describe)(uint64_t) = nullptr;  // "prog.py:12"; empty for 0
};

/// The site of a recorded op, and how its floating-point events are handled.
struct Context {
  uint64_t site = 0;
  ErrorState errors;
};

struct ReduceOptions {
  std::span<const int> axes;  // normalised, distinct; lists all axes for a full reduction
  bool keepdims = false;
  std::optional<DType> dtype;  // dtype of the accumulator
  std::optional<Operand> initial;
  std::optional<Operand> where;  // boolean, broadcast against the input
};

/// Each thread records into its own window. The caller serialises all calls; see set_lock_hooks.
class Engine {
 public:
  Engine();
  ~Engine();
  /// The default engine.
  static Engine& instance();

  // --- Making arrays ------------------------------------------------------------------------------------------------
  /// Contents are undefined. `like` gives the memory order for Order::k.
  Array empty(std::span<const int64_t> shape, DType dtype, Order order = Order::c, const View* like = nullptr);
  /// Copies the elements at `data`, which have `layout` without gaps, to where this thread's work runs.
  Array copy_of(const char* data, const View& layout);
  Array full(std::span<const int64_t> shape, const Scalar& value, Order order = Order::c);
  /// The range that starts with these two numbers, computed as NumPy does.
  Array arange(const Scalar& first, const Scalar& second, int64_t count);
  /// start + i * step, for any dtype except half precision and bool. `last` (floats only) replaces the final element.
  Array evenly_spaced(const Scalar& start, const Scalar& step, int64_t count, const Scalar* last = nullptr);
  /// Memory shared with other code: pinned, never renamed, always settled.
  Array wrap(void* data, int64_t nbytes, View view, bool writable, std::function<void()> release);

  // --- Recording ----------------------------------------------------------------------------------------------------
  /// result[k] = op(operands...) with operands broadcast and cast to the signature's types. Null outputs are allocated
  /// (C order, or the operands' common order); the others are written through their views with a cast.
  /// Elements where the boolean operand `where` is false keep the output's value.
  void map(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
           std::span<Array> outputs, const Operand* where, const Context& context);
  /// The first result of the op of that name (ops/), with operands promoted as in NumPy. Throws ValueError for an
  /// unknown name.
  Array map(std::string_view op, std::initializer_list<Operand> operands);
  /// Does record_binary() if exactly this operation comes next in a known loop, for operands of any shapes and dtypes,
  /// and constructs the result at `result`; else returns false and does nothing.
  bool follow_binary(const ops::Op& op, const Array* a, const Array* b, const Scalar& scalar, const Context& context,
                     void* result);
  /// A fast path of map for the commonest case: two operands of one shape and of the signature's own dtypes. One of
  /// them may be null; `scalar` then takes its place.
  Array record_binary(const ops::Op& op, const ops::Signature& signature, const Array* a, const Array* b,
                      const Scalar& scalar, const Context& context);
  /// Does assign() from an array of the destination's shape, or from the scalar, if exactly this write comes next in a
  /// known loop; else returns false and does nothing.
  bool follow_write(const Array& destination, const Array* source, const Scalar& scalar, const Context& context);
  /// destination[...] = source, broadcast and cast; gives NumPy's result when the two overlap.
  void assign(const Array& destination, const Operand& source, const Context& context);
  void assign(const Array& destination, const Array& source, const Context& context);
  /// A new array with the elements of `source`, cast to `dtype`.
  Array copy(const Array& source, DType dtype, Order order);
  /// Reduces with op.reduce, which must be set, over options.axes. The result has the reduced shape.
  Array reduce(const ops::Op& op, const Array& source, const ReduceOptions& options, const Context& context);
  /// The routine of that name; throws ValueError for an unknown one.
  static const ops::Routine& routine(std::string_view name);
  /// All routines, in the order of the table.
  static std::vector<const ops::Routine*> routines();
  /// The results of a routine, which shapes, dtypes and errors say at once. Runs at once on small settled host arrays;
  /// otherwise recorded, unless the routine runs at the call.
  void call(const ops::Routine& routine, std::span<const Array> operands, const ops::Arguments& arguments,
            const Context& context, std::span<Array> results);
  std::vector<Array> call(const ops::Routine& routine, std::span<const Array> operands, const ops::Arguments& arguments,
                          const Context& context);
  /// The first result of the routine of that name; throws ValueError for an unknown name.
  Array call(std::string_view routine, std::initializer_list<Array> operands, const ops::Arguments& arguments = {},
             const Context& context = {});

  // --- Synchronisation ----------------------------------------------------------------------------------------------
  /// Settles the array on the host and returns element (0, ..., 0) of its view. The pointer is valid while the storage
  /// exists and until the next write to it is recorded.
  const char* read(const Array& array);
  /// As read(), for host code that writes through the pointer: pending readers of the old contents run first.
  char* write(const Array& array);
  /// The array itself; or a host copy of its elements where they are only on a device and are a small part of the
  /// storage there.
  Array nearby(const Array& array);
  /// The array itself when C-contiguous (and of this dtype), else a contiguous copy.
  Array contiguous(const Array& array, std::optional<DType> dtype = {});
  /// Settles the storage and marks it as shared: recorded ops never rename it, and recorded reads of it run at once.
  void pin(const Array& array);
  void unpin(const Array& array);
  /// Runs this thread's pending work; a device may still be running it on return.
  void flush();
  /// Runs this thread's pending work and waits until it is done, on devices too.
  void synchronize();
  /// Floating-point events since the last call on this thread, in recording order, one entry for each op and site.
  std::vector<FloatReport> take_reports();
  /// Whether there are reports or notices.
  bool has_reports() const;

  // --- Devices ------------------------------------------------------------------------------------------------------
  /// The device that this thread's work runs on; null: the host.
  runtime::Device* chosen_device();
  /// The device for a call on these operands, on a thread whose device is chosen for each operation; null: the host.
  /// Copies the operands to the device.
  runtime::Device* place_call(std::span<const Array* const> operands, const ops::Cost& cost);
  /// Whether there is a device and the array is large enough for the engine to choose where work on it runs. Operations
  /// that the host would otherwise do at once are then recorded.
  bool weighs_places(const Array& array);
  /// Continues the current call on the host; if `for_good` names an operation, all later calls of it run on the host
  /// too.
  void give_up_device(std::string_view for_good = {});
  /// Runs the work that makes the array and returns its elements in the device's memory, ready in the order of the
  /// device's stream.
  Ref<runtime::Buffer> on_device(const Array& array, runtime::Device& device);
  /// The elements in the device's memory, for writing in place: settled, owned by this array's storage alone, and from
  /// now on valid only there. Null when they are shared elsewhere.
  Ref<runtime::Buffer> write_on_device(const Array& array, runtime::Device& device);
  /// A settled array whose only elements are in `buffer`, which is device memory.
  Array wrap_device(const Ref<runtime::Buffer>& buffer, View view);
  /// The device that holds the elements; null if the host has a valid copy and this thread's work does not run on the
  /// device. Runs the work that makes the array.
  runtime::Device* device_of(const Array& array);
  /// Whether reading the array has to wait for a device: its elements are only in device memory, or it is made by
  /// recorded work that was sent to a device or, where each plan chooses, that reads what only a device has.
  bool comes_from_device(const Array& array);
  /// Settles the array in the device's memory and marks the storage as shared there: it is written in place only and
  /// never renamed, and each read by the host copies it. unpin() ends this. Throws BufferError when it is shared
  /// elsewhere.
  void lend(const Array& array, runtime::Device& device);
  bool is_lent(const Array& array);
  /// Wraps device memory that other code owns as an array, which stays lent for its lifetime.
  Array borrow(runtime::Device& device, char* data, int64_t nbytes, View view, bool writable,
               std::function<void()> release);
  /// Queues the kernels of these routines outside of any plan; false, with nothing done, when a device cannot run one
  /// of them.
  bool launch_routines(runtime::Device& device, std::span<const routines::KernelLaunch> routines);
  bool is_compiled(runtime::Device& device, const routines::KernelLaunch& routine);
  bool is_ready(runtime::Device& device, const routines::KernelLaunch& routine);
  /// Device memory with this many zero uint64 words, shared by all routines, which restore the zeros.
  const char* zeros(runtime::Device& device, int64_t words);
  /// Runs the same routine on the host and waits for it; `work` counts about one for an element and eight instructions.
  void run_on_host(const routines::KernelLaunch& routine, int64_t work);
  /// Counts a fallback caused by a missing library and queues its message for the user, once for each library.
  void note_missing(const std::string& what, const std::string& message);
  /// Messages for the user since the last call.
  std::vector<std::string> take_notices();

  // --- Settings and reports -----------------------------------------------------------------------------------------
  /// When kernels are compiled: once they are hot, never, or before their first run in a given tier (tests).
  enum class Compile : uint8_t { when_hot, never, before_baseline, before_quick, before_full };
  struct Options {
    int window_limit = 512;
    bool lazy = true;  // false: every op runs as soon as it is recorded
    Compile compile = Compile::when_hot;
    std::string cache_folder;
    int64_t wave_bytes = 0;  // cache that one thread's part of a wave may use; 0: no waves
  };
  Options& options();
  /// Promises that runtime::stop_background is called before the process exits; the compiler may then be opened in the
  /// background.
  void expect_stop();
  /// Applies changes made through options().
  void apply_options();
  /// Sets where this thread's recorded work runs: "cpu", "gpu", "gpu:1", "auto" or, for tests, "simulated". Work
  /// recorded before runs first; if that fails it stays recorded, and the setting takes effect all the same. Throws
  /// ValueError for other names and RuntimeError when there is no such device.
  void set_device(const std::string& where);
  std::string device();
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
  /// Call before fork, on the forking thread: waits until no window runs and lets none start, so that every window is
  /// consistent in the child.
  void prepare_fork();
  /// Call after fork, in both processes. In the child, windows of threads that do not exist there become free for other
  /// threads.
  void resume_after_fork(bool in_child);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
