/// SourceKernel: a kernel from CUDA C++ or machine code, as Python launches it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>

#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/kernel/source/parameters.h"
#include "tessera/runtime/device.h"

namespace tessera::bind {

class SourceArguments;

/// Code on a device, or on the cores.
struct LoadedModule {
  std::shared_ptr<runtime::Module> module;
  runtime::Device* device;  // null: the cores
  std::string log;          // the driver's
  bool prints;              // some kernel may call printf
  bool is_checked = false;  // its kernels run on the cores, whatever devices there are
};

class SourceKernel {
 public:
  /// `on_device` is null where the code is not loaded: the arguments can be checked then.
  SourceKernel(kernel::KernelParameters parameters, std::shared_ptr<runtime::Program> on_device,
               const LoadedModule* loaded);

  enum class Outcome : uint8_t { launched, needs_preparation, other_device };
  /// Arguments of other kinds than the engine's, such as NumPy's arrays, need preparation: nothing has been done then.
  Outcome launch(nanobind::handle grid, nanobind::handle block, nanobind::handle arguments,
                 nanobind::handle shared_bytes, nanobind::handle stream, bool is_cooperative) const;
  /// The same for arguments that are converted; the kernel's device is the current one.
  void launch(const LaunchShape& shape, const SourceArguments& given, bool is_cooperative) const;
  /// Sets the shape's stream to a stream of the user's, or leaves it for 0 and None.
  void take_stream(LaunchShape& shape, nanobind::handle stream) const;
  /// Checks the arguments; false where some need preparation.
  bool check(nanobind::handle arguments) const;

  const kernel::KernelParameters& parameters() const { return parameters_; }
  runtime::Program* program() const { return program_.get(); }

 private:
  kernel::KernelParameters parameters_;
  std::shared_ptr<runtime::Program> program_;
  runtime::Device* device_ = nullptr;  // null: the cores
  bool prints_ = false, is_checked_ = false;
  int64_t most_threads_ = 1024;
  int64_t static_shared_bytes_ = 0;
};

}  // namespace tessera::bind
