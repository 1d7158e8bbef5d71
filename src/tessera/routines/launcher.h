/// Launcher: memory and kernel launches for the implementations of routines on a device.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tessera/routines/kernel_launch.h"
#include "tessera/runtime/device.h"

namespace tessera::routines {

/// Thrown when a kernel cannot be compiled for the device: the host then runs the whole call.
struct NoDeviceCode {};

/// What is derived from an operand and kept while its elements do not change.
struct Kept {
  std::vector<Ref<runtime::Buffer>> buffers;
  std::array<int64_t, 2> numbers{};
};

class Launcher {
 public:
  virtual ~Launcher() = default;

  virtual runtime::Device& device() = 0;
  /// Memory for this many elements, of one at least.
  virtual Ref<runtime::Buffer> allocate(int64_t count, DType dtype) = 0;
  /// Words that are 0 between launches: a kernel that writes them must reset them.
  virtual const char* zeros(int64_t words) = 0;
  /// Queues the kernel now, or with others while launches are gathered.
  virtual void run(KernelLaunch launch) = 0;
  /// Whether the kernel is available; if not, it is compiled in the background.
  virtual bool is_ready(const KernelLaunch& launch) = 0;
  /// From here on, launches whose kernels must be compiled are collected so that the kernels are compiled in parallel,
  /// until flush() or the end of the routine. Nothing else may be queued on the stream meanwhile.
  virtual void gather() = 0;
  virtual void flush() = 0;

  /// What an earlier call kept of operand k's elements under this name, if they are the same; null: nothing.
  virtual const Kept* find_kept(int k, std::string_view what) = 0;
  virtual void keep(int k, std::string_view what, Kept kept) = 0;

  /// Copies a few bytes to the host, and waits for them.
  void fetch(void* to, const char* from, size_t nbytes) {
    device().stream().copy_out(static_cast<char*>(to), from, nbytes);
  }
};

}  // namespace tessera::routines
