/// RoutineRunner: hand-built kernels on one device, outside of plans.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/engine/device/launch/device_kernels.h"
#include "tessera/plan/moves.h"
#include "tessera/plan/plan.h"
#include "tessera/routines/kernel_launch.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Rows of a dimension or buffer whose kernel checks its own bounds.
inline constexpr int64_t any_length = int64_t{1} << 62;

class RoutineRunner {
 public:
  RoutineRunner(runtime::Device& device, DeviceKernels& kernels) : device_(device), kernels_(kernels) {}

  /// Queues the kernels, compiling the new ones in parallel; false, and nothing is done, when one cannot be compiled
  /// for the device.
  bool run(std::span<const routines::KernelLaunch> routines, codegen::Compiler* compiler);
  /// Compiles the routines' kernels; false when one cannot be compiled for the device.
  bool prepare(std::span<const routines::KernelLaunch> routines, codegen::Compiler* compiler);
  bool is_compiled(const routines::KernelLaunch& routine) { return find(routine).on_device != nullptr; }
  /// Whether the routine's kernel is available without compiling; if not, it is compiled in the background.
  bool is_ready(const routines::KernelLaunch& routine, codegen::Compiler* compiler);
  /// Device memory that is 0 between launches of routines.
  const char* zeros(size_t nbytes);

 private:
  struct Routine {
    WantedKernel wanted;
    DeviceKernel* on_device = nullptr;
  };
  Routine& find(const routines::KernelLaunch& routine);

  runtime::Device& device_;
  DeviceKernels& kernels_;
  std::unordered_map<std::string, Routine> routines_;  // by name
  Ref<runtime::Buffer> zeros_;
};

}  // namespace tessera::engine
