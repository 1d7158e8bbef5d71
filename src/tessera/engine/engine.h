/// Engine: records what is asked, plans it, runs it. The public C++ API; Python is one caller of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/engine/array.h"
#include "tessera/ops/op.h"

namespace tessera::runtime {
class Buffer;
class Device;
}  // namespace tessera::runtime

namespace tessera::engine {
struct CallCost;
struct DeviceRoutine;
}  // namespace tessera::engine

namespace tessera {

/// NumPy's errstate, one mode an event.
enum class ErrorMode : uint8_t { ignore, warn, raise, call, print, log };
struct ErrorState {
  ErrorMode divide = ErrorMode::warn;
  ErrorMode over = ErrorMode::warn;
  ErrorMode under = ErrorMode::ignore;
  ErrorMode invalid = ErrorMode::warn;
  friend bool operator==(const ErrorState&, const ErrorState&) = default;
};

/// A floating-point event that happened in `op`; `site` is whatever token the recorder was given (a source line).
struct FloatReport {
  ops::OpId op;
  uint32_t events;  // ir::FloatEvent bits
  uint64_t site;
};

/// There is no room for the elements of one array, which it names.
class ArrayMemoryError : public OutOfMemory {
 public:
  ArrayMemoryError(std::span<const int64_t> shape, DType dtype);
  const Dims& shape() const { return shape_; }
  DType dtype() const { return dtype_; }

 private:
  Dims shape_;
  DType dtype_;
};

/// One of the larger arrays that live: where its elements are and who asked for it.
struct LargeArray {
  Dims shape;
  DType dtype;
  int64_t nbytes;
  std::string where;  // "cpu", "gpu:0" or both
  std::string maker;  // as SiteHooks describe it; may be empty
};

/// What the caller knows of sites, the tokens that recorded ops are given.
struct SiteHooks {
  uint64_t (*current)() = nullptr;              // of what runs now
  std::string (*describe)(uint64_t) = nullptr;  // "prog.py:12"; empty for 0
};

/// Where a recorded op came from, and how it treats floating-point events.
struct Context {
  uint64_t site = 0;
  ErrorState errors;
};

struct ReduceOptions {
  std::span<const int> axes;  // normalised, distinct; all axes when the caller wants a full reduction
  bool keepdims = false;
  std::optional<DType> dtype;  // of the accumulation
  std::optional<Operand> initial;
  std::optional<Operand> where;  // boolean, broadcast against the input
};

/// Each thread records into a window of its own. Calls are serialised by the caller; see set_lock_hooks.
class Engine {
 public:
  Engine();
  ~Engine();
  /// The default engine.
  static Engine& instance();

  // --- Making arrays ------------------------------------------------------------------------------------------------
  /// Contents undefined. `like` gives the memory order for Order::k.
  Array empty(std::span<const int64_t> shape, DType dtype, Order order = Order::c, const View* like = nullptr);
  /// The elements at `data`, which lie as `layout` says without gaps; copied where this thread's work runs.
  Array copy_of(const char* data, const View& layout);
  Array full(std::span<const int64_t> shape, const Scalar& value, Order order = Order::c);
  /// The range whose first two numbers these are, computed as NumPy fills it.
  Array arange(const Scalar& first, const Scalar& second, int64_t count);
  /// start + i * step, numbers of any type but halves and booleans; `last`, of floats, is what ends it instead.
  Array evenly_spaced(const Scalar& start, const Scalar& step, int64_t count, const Scalar* last = nullptr);
  /// Memory shared with somebody else: pinned, never renamed, always settled.
  Array wrap(void* data, int64_t nbytes, View view, bool writable, std::function<void()> release);

  // --- Recording ----------------------------------------------------------------------------------------------------
  /// result[k] = op(operands...) with operands broadcast and cast to the signature's types. Outputs that are null are
  /// made (C order, or the operands' common order); the others are written through their views with a cast.
  /// `where`: boolean operand; elements where it is false keep the output's value.
  void map(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
           std::span<Array> outputs, const Operand* where, const Context& context);
  /// The op of that name (ops/), operands promoted as NumPy would; its first result. Throws ValueError for a name no op
  /// has.
  Array map(std::string_view op, std::initializer_list<Operand> operands);
  /// record_binary() if just this comes next in a known loop, for operands of any shapes and types; else false, with
  /// nothing done. Makes the result where `result` points.
  bool follow_binary(const ops::Op& op, const Array* a, const Array* b, const Scalar& scalar, const Context& context,
                     void* result);
  /// The commonest case of map without its generality: two operands of one shape and of the loop's own types, of which
  /// one may be null: `scalar` stands for it.
  Array record_binary(const ops::Op& op, const ops::Signature& signature, const Array* a, const Array* b,
                      const Scalar& scalar, const Context& context);
  /// assign() of an array of the destination's shape, or of the scalar, if just this comes next in a known loop; else
  /// false, with nothing done.
  bool follow_write(const Array& destination, const Array* source, const Scalar& scalar, const Context& context);
  /// destination[...] = source, broadcast and cast; NumPy's result when the two overlap.
  void assign(const Array& destination, const Operand& source, const Context& context);
  void assign(const Array& destination, const Array& source, const Context& context);
  /// A new array with the elements of source, cast.
  Array copy(const Array& source, DType dtype, Order order);
  /// op.reduce over options.axes; op.reduce must be set. The result has the reduced shape.
  Array reduce(const ops::Op& op, const Array& source, const ReduceOptions& options, const Context& context);

  // --- Looking ------------------------------------------------------------------------------------------------------
  /// Settles the array and returns element (0, ..., 0) of its view; valid while the storage lives and until the next
  /// write to it is recorded.
  const char* read(const Array& array);
  /// The same for host code that writes through the pointer: pending readers of the old contents run first.
  char* write(const Array& array);
  /// The array; or, where a device alone has its elements and they are a small part of what lies there, a copy of them.
  Array nearby(const Array& array);
  /// The array itself when C-contiguous (and of this dtype), else a contiguous copy.
  Array contiguous(const Array& array, std::optional<DType> dtype = {});
  /// Settles and marks the storage as shared: recorded ops never rename it and reads of it happen at record time.
  void pin(const Array& array);
  void unpin(const Array& array);
  /// Runs this thread's pending work; a device may still be at it on return.
  void flush();
  /// The same and waits.
  void synchronize();
  /// Floating-point events since the last call on this thread, in recording order, one entry an op and site.
  std::vector<FloatReport> take_reports();
  /// Whether there are reports or notices.
  bool has_reports() const;

  // --- On a device --------------------------------------------------------------------------------------------------
  /// Where this thread's work runs; null for the host.
  runtime::Device* chosen_device();
  /// Where a call on these operands runs on a thread whose operations may choose; null: on the host. Operands are there
  /// then.
  runtime::Device* place_call(std::span<const Array* const> operands, const engine::CallCost& cost);
  /// Whether the array is large enough, and there is a device, for recorded work on it to be weighed: what would be
  /// done on the host at once is recorded then.
  bool weighs_places(const Array& array);
  /// The call that runs now goes on on the host after all; and so do all calls of the operation `for_good`, if one is
  /// named.
  void give_up_device(std::string_view for_good = {});
  /// Runs what makes the array and gives its elements in the device's memory, ready in the order of its stream.
  Ref<runtime::Buffer> on_device(const Array& array, runtime::Device& device);
  /// Elements in the device's memory to write to in place: settled, alone with this array's storage, and nowhere else
  /// from now on. Null when others share them elsewhere.
  Ref<runtime::Buffer> write_on_device(const Array& array, runtime::Device& device);
  /// A settled array whose only elements are in `buffer`, which is in a device's memory.
  Array wrap_device(const Ref<runtime::Buffer>& buffer, View view);
  /// The device whose memory has the elements, if not the host is nearer: its copy is valid and this thread's work is
  /// not on the device. Runs what makes the array.
  runtime::Device* device_of(const Array& array);
  /// Whether its elements are still to come from a device: recorded work that was sent to one or, where each plan has a
  /// choice, reads what one alone has; or elements that are in a device's memory only.
  bool comes_from_device(const Array& array);
  /// Settles the array in the device's memory and marks the storage as shared there: written in place only, never
  /// renamed; what the host reads is copied at every look. unpin() ends it. Throws BufferError when it is shared
  /// elsewhere.
  void lend(const Array& array, runtime::Device& device);
  bool is_lent(const Array& array);
  /// Somebody else's memory on the device as an array; lent for good.
  Array borrow(runtime::Device& device, char* data, int64_t nbytes, View view, bool writable,
               std::function<void()> release);
  /// Queues one kernel beside the plans; false when it has no form for the device.
  bool launch_routines(runtime::Device& device, std::span<const engine::DeviceRoutine> routines);
  bool is_compiled(runtime::Device& device, const engine::DeviceRoutine& routine);
  bool is_ready(runtime::Device& device, const engine::DeviceRoutine& routine);
  /// So many uint64 of 0, of which all routines get the same: they leave them as they found them.
  const char* zeros(runtime::Device& device, int64_t words);
  /// The same program on the host, done on return; `work` counts about one for an element and instruction of eight.
  void run_on_host(const engine::DeviceRoutine& routine, int64_t work);
  /// A library that was needed and is not there: counted, and its message said once.
  void note_missing(const std::string& what, const std::string& message);
  /// What the user should hear since the last call.
  std::vector<std::string> take_notices();

  // --- Saying -------------------------------------------------------------------------------------------------------
  /// When kernels are compiled: once they are hot, never, or before their first run in one tier (tests).
  enum class Compile : uint8_t { when_hot, never, before_baseline, before_quick, before_full };
  struct Options {
    int window_limit = 512;
    bool lazy = true;  // false: every op runs when recorded
    Compile compile = Compile::when_hot;
    std::string cache_folder;
    int64_t wave_bytes = 0;  // that one thread's part of a wave may keep in use; 0: no waves
  };
  Options& options();
  /// Promises that runtime::stop_background is called before the process exits; the compiler is then opened in the
  /// background.
  void expect_stop();
  /// Call after changing options().
  void apply_options();
  /// Where this thread's recorded work runs from now on: "cpu", "gpu", "gpu:1", "auto" or, for tests, "simulated". What
  /// was recorded before runs first; when that fails it stays recorded, and work runs there all the same. Throws
  /// ValueError for other names, RuntimeError when there is no such device.
  void set_device(const std::string& where);
  std::string device();
  /// Why the device runs less than it could; empty when all is well.
  std::string device_problem();
  /// Why there is no native code on this machine; empty when there is.
  std::string compiler_problem();
  /// Text of the plan the pending window would run.
  std::string explain();
  /// All calls into one engine are serialised by a lock of the caller's (in Python the GIL). `unlock` lets go of it
  /// around long work and `lock` takes it back.
  void set_lock_hooks(void* (*unlock)(), void (*lock)(void* state));
  /// Lets go of that lock for long work outside the engine; `lock` takes what it returned.
  void* unlock();
  void lock(void* state);
  void set_site_hooks(const SiteHooks& hooks);
  /// The largest first, those under 256 KiB left out.
  std::vector<LargeArray> largest_arrays(size_t count);
  /// After a DeviceFailure: what may have failed, and how to go on.
  std::string describe_failure();
  /// Before fork, on the thread that forks: waits until no window runs and lets none begin, so that the child finds
  /// each of them whole.
  void prepare_fork();
  /// After it, on both sides. In the child the windows of the threads that it does not have are anybody's.
  void resume_after_fork(bool in_child);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera
