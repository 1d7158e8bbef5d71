/// Launches of user kernels with checked arguments.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/engine/kernels/user_kernel.h"
#include "tessera/engine/state.h"
#include "tessera/graph/array.h"

namespace tessera::engine {

/// What the GPUs with the most allow, so that programs for them run on the host.
inline constexpr int64_t most_shared_on_host = 232448;

/// What a checked kernel of CUDA C++ has done wrong.
class KernelFaults : public std::runtime_error {
 public:
  KernelFaults(std::string kernel, std::vector<std::string> faults)
      : std::runtime_error(faults.at(0)), kernel_(std::move(kernel)), faults_(std::move(faults)) {}
  const std::string& kernel() const { return kernel_; }
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  std::string kernel_;
  std::vector<std::string> faults_;
};

/// Makes the contents of a launch's arrays available on the host, in the order of its stream: those that are written
/// belong to their storages alone.
void settle_on_host(State& state, const std::string& kernel, std::span<const Array> arrays,
                    std::span<const uint8_t> writes);

/// False: the device cannot compile the kernel.
bool launch_on_device(State& state, UserKernel& kernel, const LaunchShape& shape, std::span<const Array> arrays,
                      std::span<const Scalar> scalars, runtime::Device& device);

}  // namespace tessera::engine
