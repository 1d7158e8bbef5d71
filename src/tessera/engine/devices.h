/// Devices: the part of the engine that gives access to devices and to elements in their memory.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/graph/array.h"

namespace tessera::runtime {
class Buffer;
class Device;
class Program;
class UserStream;
}  // namespace tessera::runtime

namespace tessera::ir {
struct Kernel;
}

namespace tessera::routines {
struct KernelLaunch;
}

namespace tessera {

namespace engine {
struct State;
}

/// Device memory, and work on a device outside of recorded plans.
class Devices {
 public:
  explicit Devices(engine::State& state) : state_(&state) {}

  /// The device that this thread's work runs on, the first of several; null: the host.
  runtime::Device* chosen_device();
  /// The one of several where work on this array runs. Runs the work that makes it.
  runtime::Device* chosen_device_for(const Array& array);
  /// The simulated device of this number, if there has been one; null if not.
  runtime::Device* simulated_device(int number);
  /// The simulated device that has this memory or, where the thread's work runs on one, any other; null if there is
  /// none.
  runtime::Device* simulated_device_at(const void* address);
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
  /// Where the elements are valid, "cpu" and devices by name, and how many bytes each place holds; nothing while what
  /// makes them has not run.
  struct Held {
    std::string place;
    int64_t nbytes = 0;
  };
  std::vector<Held> places(const Array& array);
  /// Whether reading the array has to wait for a device: its elements are only in device memory, or it is made by
  /// recorded work that was sent to a device or, where each plan chooses, that reads what only a device has.
  bool comes_from_device(const Array& array);
  /// Writes of single elements to an array on a device run there until there are so many that copying it to the host
  /// pays: the number of the one to come, which its version keeps; 0 where the host writes.
  uint8_t count_element_write(const Array& array);
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
  /// The device on which this thread's launches run, and whose streams, events and pinned memory they use; opens one
  /// where each operation may choose. Null: the host.
  runtime::Device* for_streams();
  /// Whether this thread's work may run anywhere but on the host. Opens nothing.
  bool may_leave_host();
  /// Whether an array of so many elements is cut over ranks.
  bool goes_over_ranks(int64_t elements);
  /// The bytes of the longest array for which this thread's devices, or the host, have room now.
  int64_t room();
  /// Whether it runs on a device wherever that is possible, because one was chosen. Opens nothing.
  bool leaves_host();
  /// Compiles user kernels in parallel for all devices that are open and on which they may run, for dense arrays that
  /// share no memory and blocks of so many threads. Other launches compile when they are made.
  void compile_kernels(std::span<const std::shared_ptr<const ir::Kernel>> kernels, int64_t threads);
  /// The kernel's program for dense arrays that share no memory, on the device that launches of blocks of so many
  /// threads would run on; null where that is the host. Throws RuntimeError where it cannot be compiled.
  struct LoadedKernel {
    runtime::Device* device = nullptr;
    std::shared_ptr<runtime::Program> program{};
  };
  LoadedKernel load_kernel(const std::shared_ptr<const ir::Kernel>& kernel, int64_t threads);
  /// How many blocks of the kernel, of so many threads and bytes of dynamic shared memory, may wait for each other; on
  /// the host more do than it takes to keep its cores busy.
  int64_t blocks_that_meet(const std::shared_ptr<const ir::Kernel>& kernel, int64_t threads, int64_t shared_bytes);
  /// A new array of this contiguous view on the stream's device, whose elements the stream copies from `host`. Pinned
  /// host memory is read later, in the stream's order: it must stay as it is until then.
  Array copy_in(runtime::UserStream& stream, const char* host, View view);
  /// The same into an array; false, with nothing done, where it is not the whole of its memory in one piece.
  bool copy_in(runtime::UserStream& stream, const char* host, const Array& to);
  /// The stream copies the array's elements to `host`, into pinned memory later; false as above.
  bool copy_out(runtime::UserStream& stream, const Array& array, char* host);
  /// The same on the own stream of the device that for_streams() gives; null where there is none.
  Array copy_in(const char* host, View view);
  /// A new array in the memory of that device, whose elements are not set; null as above.
  Array empty(View view);
  /// The same on the device's own stream, done when they return; false, with nothing done, also where the array is on
  /// the host or, for what goes out, small.
  bool copy_in(const char* host, const Array& to);
  bool copy_out(const Array& array, char* host);

 private:
  engine::State* state_;
};

}  // namespace tessera
