/// Device, Stream: a processor with memory of its own, and its ordered queue of work. They handle bytes and programs,
/// not ops.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/runtime/buffer.h"
#include "tessera/runtime/pool_statistics.h"
#include "tessera/runtime/shared_memory.h"

namespace tessera::runtime {

/// The properties of a device that plans depend on.
struct DeviceFacts {
  std::string name;
  int number = 0;
  int part = 0;        // of several places of one device, with memory and a queue of their own
  int capability = 0;  // 90 for sm_90
  int multiprocessors = 0;
  int64_t memory = 0;        // bytes
  int64_t cache = 0;         // bytes of L2
  int driver_version = 0;    // 13000 for 13.0
  int64_t shared_bytes = 0;  // of a block's shared memory, at most
};

/// Where a kernel's parameter lies in its block of parameters.
struct ParameterPlace {
  int64_t offset = 0;
  int64_t nbytes = 0;
  friend bool operator==(const ParameterPlace&, const ParameterPlace&) = default;
};

/// A kernel's attributes, numbered as the CUDA driver does.
enum class ProgramAttribute : uint8_t {
  max_threads_per_block,
  shared_bytes,
  const_bytes,
  local_bytes,
  registers,
  ptx_version,
  binary_version,
  cache_mode_ca,
  max_dynamic_shared_bytes,
  shared_memory_carveout,
};

/// A kernel loaded onto a device; the last reference unloads its code.
class Program {
 public:
  virtual ~Program() = default;
  /// Registers per thread, and bytes of local memory per thread.
  virtual int registers() const = 0;
  virtual int local_bytes() const = 0;
  virtual int attribute(ProgramAttribute attribute) const = 0;
  /// Of the last two attributes, which a launch may depend on.
  virtual void set_attribute(ProgramAttribute attribute, int value) const = 0;
  /// Empty where the driver does not tell.
  virtual std::optional<std::vector<ParameterPlace>> parameters() const = 0;
  /// Blocks of so many threads that run on one multiprocessor at a time.
  virtual int blocks_a_multiprocessor(int threads, size_t shared_bytes) const = 0;
};

/// A variable of loaded code.
struct ModuleVariable {
  char* data = nullptr;
  size_t nbytes = 0;
};

/// Code loaded onto a device, with its kernels and variables.
class Module {
 public:
  virtual ~Module() = default;
  /// The kernel, which keeps the code loaded; null if there is none of that name.
  virtual std::shared_ptr<Program> find(const char* name) = 0;
  virtual std::optional<ModuleVariable> find_variable(const char* name) = 0;
};

/// How the driver assembles PTX.
struct JitOptions {
  int max_registers = 0;  // 0: no limit
  int optimization = -1;  // -1: the driver's default
  bool has_debug_info = false;
  bool has_line_info = false;
};

/// The blocks and threads that run a program, and each block's shared memory beside what the program declares.
struct Grid {
  std::array<uint32_t, 3> blocks{1, 1, 1};
  std::array<uint32_t, 3> threads{1, 1, 1};
  uint32_t shared_bytes = 0;
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// A point in a stream's work.
class Event {
 public:
  virtual ~Event() = default;
  virtual bool is_done() const = 0;
  virtual void wait() const = 0;
  /// Milliseconds the device took from `start` to this event; both must be done, and timed.
  virtual double since(const Event& start) const = 0;
};

/// Captured work that can be queued again as a whole.
class Replay {
 public:
  virtual ~Replay() = default;
};

/// Strided rows of bytes: `rows` runs of `nbytes`, `pitch` bytes apart.
struct Rows {
  int64_t nbytes;
  int64_t rows;
  int64_t pitch;
};

/// Bytes of a device to be copied to the host.
struct CopyOut {
  char* host;
  const char* device;
  size_t nbytes;
};

/// When a launch may begin: in the stream's order; while the launch before it ends, where the program itself waits for
/// that launch before it reads what that launch writes, and before it writes anything; or in order with all of its
/// blocks at once, which may wait for each other.
enum class Begin : uint8_t { in_order, early, together };

/// A queue of work that runs later, in order. Errors of queued work are thrown by the next call that waits.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual void launch(const Program& program, const Grid& grid, std::span<const char> parameters, Begin begin) = 0;
  void launch(const Program& program, const Grid& grid, std::span<const char> parameters) {
    launch(program, grid, parameters, Begin::in_order);
  }
  /// A kernel with one value behind each pointer for each of its parameters. With `is_cooperative` its blocks may wait
  /// for each other.
  virtual void launch_user(const Program& program, const Grid& grid, std::span<void* const> arguments,
                           bool is_cooperative) = 0;
  /// Number of requests to the stream so far: while it is unchanged, no work was queued after the last launch.
  virtual uint64_t requests() const = 0;
  /// Host to device: the host memory may be modified after the call returns.
  virtual void copy_in(char* device, const char* host, size_t nbytes) = 0;
  /// Device to host: waits for the bytes; all small pieces share one wait.
  virtual void copy_out(std::span<const CopyOut> pieces) = 0;
  void copy_out(char* host, const char* device, size_t nbytes) {
    const CopyOut piece{host, device, nbytes};
    copy_out(std::span(&piece, 1));
  }
  virtual void copy(char* to, const char* from, size_t nbytes) = 0;
  virtual void copy_rows(char* to, const char* from, const Rows& rows) = 0;
  virtual void fill_zero(char* to, size_t nbytes) = 0;
  /// Captures what `work` queues here instead of running it: launches, copies on the device, fills. Null if that is not
  /// possible. Where `work` calls begin_part(), part k waits only for the parts after[k]; without `after`, each part
  /// waits for all before it. What it queues on the streams `beside`, of other devices of the family, is captured with
  /// it, and events order them as they would otherwise; a replay then comes after what those streams have, too, and
  /// before what they get.
  virtual std::unique_ptr<Replay> capture(const std::function<void()>& work,
                                          std::span<const std::vector<int32_t>> after = {},
                                          std::span<Stream* const> beside = {}) = 0;
  /// Marks the beginning of another part of the captured work.
  virtual void begin_part() {}
  /// `work` queues the captured work again with other launch parameters: the replay is updated to those and not run.
  /// False if that is not possible; the replay must not be used then.
  virtual bool rewrite(Replay& replay, const std::function<void()>& work) = 0;
  virtual void replay(const Replay& replay) = 0;
  virtual std::unique_ptr<Event> record() = 0;
  /// The same for an event that is asked for times, which costs the device a little.
  virtual std::unique_ptr<Event> record_timed() { return record(); }
  virtual void wait_for(const Event& event) = 0;
  virtual void synchronize() = 0;
  /// Orders this stream after the work queued on another stream of the family, and the reverse.
  virtual void wait_for_other(void* stream) = 0;
  virtual void let_other_wait(void* stream) = 0;
  /// The stream's handle for the libraries of the device's family; makes the device current for this thread.
  virtual void* handle() = 0;
  /// The same for code that may queue work on it at any time from now on.
  virtual void* lend() { return handle(); }
};

/// The vendor whose libraries accept a device's memory and streams. The simulated family is for tests; a rank's place
/// is the cores of one of several processes.
enum class Family : uint8_t { cuda, simulated, rank };

class Device;
class UserStreams;

/// What kernels take of a device's memory beside their buffers; numbered as the CUDA driver does.
enum class DeviceLimit : uint8_t { stack_bytes, print_bytes, heap_bytes };

/// The name by which users choose it: "gpu:0", "simulated", "simulated@1"; "cpu" for null. Parts of a
/// device are named like "gpu:0.1".
std::string device_name(const Device* device);

/// The device failed permanently. The contents that only it held are lost; the host continues.
class DeviceFailure : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Allocates memory in the order of its stream: freed memory may be reused at once.
class Device : public Allocator {
 public:
  virtual Family family() const = 0;
  virtual const DeviceFacts& facts() const = 0;
  /// An attribute by the CUDA driver's number; empty where it is not known.
  virtual std::optional<int> attribute(int number) const = 0;
  virtual int64_t limit_of(DeviceLimit limit) const = 0;
  virtual void set_limit_of(DeviceLimit limit, int64_t nbytes) = 0;
  /// Whether this process can use the device: false in a forked child and after a failure. Contents that only the
  /// device has are then inaccessible.
  virtual bool is_usable() const { return failure_.empty(); }
  /// The reason of the failure; empty while the device works.
  const std::string& failure() const { return failure_; }
  /// Sets the callback for failed allocations: it frees some memory, or returns false if it cannot. Called by the
  /// allocating thread.
  void set_relief(std::function<bool(int64_t nbytes)> relief) { relief_ = std::move(relief); }
  virtual Stream& stream() = 0;
  /// Separate streams for copies from and to the host while stream() computes, each for one thread; only events order
  /// them.
  virtual Stream& inbound() = 0;
  virtual Stream& outbound() = 0;
  /// To be called before stream() copies from another device of the family: lets such copies go directly where the
  /// driver allows it, and says whether: kernels may read the other's memory then, too. Else the driver passes copies
  /// through the host's memory.
  virtual bool reach(const Device& other) { return false; }
  /// Memory that other processes of this machine may map, and what one of them has made, by its handle; null where that
  /// is not possible.
  virtual std::unique_ptr<SharedMemory> make_shared_memory(size_t nbytes) { return nullptr; }
  virtual std::unique_ptr<SharedMemory> map_shared_memory(std::string_view handle) { return nullptr; }
  /// Streams that users make, and host memory that they pin (runtime/user_streams.h); null for a device without.
  virtual UserStreams* user_streams() { return nullptr; }
  /// Loads a program from text or machine code and looks up `entry` in it.
  virtual std::shared_ptr<Program> load(std::string_view code, const char* entry) = 0;
  /// Loads PTX, machine code or a file of both for several devices. `log` receives what the driver says of it, also
  /// where this throws.
  virtual std::shared_ptr<Module> load_module(std::string_view code, const JitOptions& options, std::string& log) = 0;
  /// Whether programs are printed engine kernels instead of machine code: true of a simulated device.
  virtual bool takes_ir() const { return false; }
  /// Assembles a program's text to machine code for this device, with an effort of 0 to 4, or -1: the driver's default.
  virtual std::string assemble(std::string_view text, int optimization) = 0;
  /// Wraps memory of this device that other code owns; release runs when the last reference goes.
  virtual Ref<Buffer> adopt(char* data, size_t nbytes, std::function<void()> release) = 0;
  virtual PoolStatistics statistics() const = 0;
  /// Returns cached memory to the device.
  virtual void trim() = 0;
  /// Limits the bytes that may be allocated; 0 lifts the limit.
  virtual void set_limit(int64_t nbytes) = 0;
  /// The bytes that can be allocated: the limit, or all of the device's memory.
  virtual int64_t capacity() const = 0;

 protected:
  /// Calls `take`, again as long as it throws OutOfMemory and the callback frees memory.
  template <class Take>
  auto take_with_relief(int64_t nbytes, Take&& take) {
    for (;;) {
      try {
        return take();
      } catch (const OutOfMemory&) {
        if (!relief_ || !relief_(nbytes)) throw;
      }
    }
  }
  void note_failure(const std::string& what) {
    if (failure_.empty()) failure_ = what;
  }

 private:
  std::string failure_;
  std::function<bool(int64_t)> relief_;
};

/// The number of devices of this machine; 0 without a driver, which is opened on the first call.
int device_count();
/// Opened on first use and never closed; throws RuntimeError naming what is missing. Part 0 is the device as others see
/// it; further parts of it are places that share its processors and memory.
Device& device(int number, int part = 0);
/// How one device reaches another's memory.
enum class PeerLink : uint8_t { through_host, direct, nvlink };
PeerLink peer_link(int from, int to);
/// The device that an address belongs to; null if none.
Device* device_of_address(const void* address);
/// Why there are no devices; empty when there are.
std::string device_problem();

}  // namespace tessera::runtime
