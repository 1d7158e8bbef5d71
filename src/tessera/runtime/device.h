/// Device: a processor with memory of its own; Stream: its work, in order. They know bytes and programs, no ops.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/runtime/buffer.h"
#include "tessera/runtime/pool_statistics.h"

namespace tessera::runtime {

/// What a plan must know of a device.
struct DeviceFacts {
  std::string name;
  int number = 0;
  int capability = 0;  // 90 for sm_90
  int multiprocessors = 0;
  int64_t memory = 0;      // bytes
  int64_t cache = 0;       // bytes of L2
  int driver_version = 0;  // 13000 for 13.0
};

/// Code loaded onto a device; freeing it unloads it.
class Program {
 public:
  virtual ~Program() = default;
  /// Registers a thread uses and bytes of local memory it needs.
  virtual int registers() const = 0;
  virtual int local_bytes() const = 0;
};

/// How many threads run a program.
struct Grid {
  std::array<uint32_t, 3> blocks{1, 1, 1};
  std::array<uint32_t, 3> threads{1, 1, 1};
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// A point in a stream's work.
class Event {
 public:
  virtual ~Event() = default;
  virtual bool is_done() const = 0;
  virtual void wait() const = 0;
  /// Milliseconds the device took from `start` to this event; both must be done.
  virtual double since(const Event& start) const = 0;
};

/// Work that was written down once, to be queued again as a whole.
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

/// Bytes of a device that the host wants.
struct CopyOut {
  char* host;
  const char* device;
  size_t nbytes;
};

/// When a launch may begin: in the stream's order, or while the launch before it ends. Its program then waits by itself
/// for that one before it touches what that one writes, or writes anything.
enum class Begin : uint8_t { in_order, early };

/// Work is queued and runs later, in order. What failed meanwhile is thrown by the next call that waits.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual void launch(const Program& program, const Grid& grid, std::span<const char> parameters, Begin begin) = 0;
  void launch(const Program& program, const Grid& grid, std::span<const char> parameters) {
    launch(program, grid, parameters, Begin::in_order);
  }
  /// How much the stream was asked for so far: as long as it stays the same, the last launch is still the last.
  virtual uint64_t requests() const = 0;
  /// Host to device: on return the host memory may change.
  virtual void copy_in(char* device, const char* host, size_t nbytes) = 0;
  /// Device to host: waits for the bytes, once for all that are few.
  virtual void copy_out(std::span<const CopyOut> pieces) = 0;
  void copy_out(char* host, const char* device, size_t nbytes) {
    const CopyOut piece{host, device, nbytes};
    copy_out(std::span(&piece, 1));
  }
  virtual void copy(char* to, const char* from, size_t nbytes) = 0;
  virtual void copy_rows(char* to, const char* from, const Rows& rows) = 0;
  virtual void fill_zero(char* to, size_t nbytes) = 0;
  /// Writes down what `work` queues here instead of doing it: launches, copies on the device, fills. Null when it
  /// cannot. Where `work` says that its parts begin, part k waits for the parts after[k] alone; without `after`, each
  /// for all before it.
  virtual std::unique_ptr<Replay> capture(const std::function<void()>& work,
                                          std::span<const std::vector<int32_t>> after = {}) = 0;
  /// What is queued next is another part of what is written down.
  virtual void begin_part() {}
  /// `work` queues once more what was written down, launches with other parameters: the replay is changed to that and
  /// not run. False when it cannot be; it is of no use then.
  virtual bool rewrite(Replay& replay, const std::function<void()>& work) = 0;
  virtual void replay(const Replay& replay) = 0;
  virtual std::unique_ptr<Event> record() = 0;
  virtual void wait_for(const Event& event) = 0;
  virtual void synchronize() = 0;
  /// Work queued from now on here waits for what is queued on another stream of the family, and the other way round.
  virtual void wait_for_other(void* stream) = 0;
  virtual void let_other_wait(void* stream) = 0;
  /// The stream as the libraries of the device's family take it; makes the device this thread's.
  virtual void* handle() = 0;
};

/// Whose libraries take a device's memory and streams. The simulated family stands in for tests.
enum class Family : uint8_t { cuda, simulated };

/// The device stopped working for good. What it alone held is lost; the host goes on.
class DeviceFailure : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Gives out memory in the order of its stream: what is freed may be given out again at once.
class Device : public Allocator {
 public:
  virtual Family family() const = 0;
  virtual const DeviceFacts& facts() const = 0;
  /// Whether this process can use it: false in a forked child and after a failure. What a device alone holds is out of
  /// reach.
  virtual bool is_usable() const { return failure_.empty(); }
  /// What it failed of; empty while it works.
  const std::string& failure() const { return failure_; }
  /// Asked for memory when none is left: lets go of some of it, or says that it cannot. Called by the thread that
  /// allocates.
  void set_relief(std::function<bool(int64_t nbytes)> relief) { relief_ = std::move(relief); }
  virtual Stream& stream() = 0;
  /// Streams of their own for copies from and to the host while that one computes, a thread each; only events order
  /// them.
  virtual Stream& inbound() = 0;
  virtual Stream& outbound() = 0;
  /// Loads a program's text or machine code and finds `entry` in it.
  virtual std::shared_ptr<Program> load(std::string_view code, const char* entry) = 0;
  /// Whether programs are the engine's own kernels as text instead of machine code: true of a simulated device.
  virtual bool takes_ir() const { return false; }
  /// Machine code for this device from a program's text; in less time if the code is soon replaced.
  virtual std::string assemble(std::string_view text, bool is_short_text) = 0;
  /// Memory of this device that somebody else owns; release runs when the last reference goes.
  virtual Ref<Buffer> adopt(char* data, size_t nbytes, std::function<void()> release) = 0;
  virtual PoolStatistics statistics() const = 0;
  /// Returns cached memory to the device.
  virtual void trim() = 0;
  /// Most bytes to hand out; 0 lifts the limit.
  virtual void set_limit(int64_t nbytes) = 0;
  /// Most bytes there can be: the limit, or all of the device's memory.
  virtual int64_t capacity() const = 0;

 protected:
  /// What `take` gives; while it throws OutOfMemory and somebody lets go of memory, once more.
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

/// The devices of this machine; 0 without a driver, which is looked for when first asked.
int device_count();
/// Opened when first asked for and never closed; throws RuntimeError naming what is missing.
Device& device(int number);
/// How one device reaches another's memory.
enum class PeerLink : uint8_t { through_host, direct, nvlink };
PeerLink peer_link(int from, int to);
/// The device that an address belongs to; null when it is no device's.
Device* device_of_address(const void* address);
/// Why there are no devices; empty when there are.
std::string device_problem();

}  // namespace tessera::runtime
