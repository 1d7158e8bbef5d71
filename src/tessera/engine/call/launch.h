/// Launches of user kernels with checked arguments.
#pragma once

#include <span>

#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/engine/kernels/user_kernel.h"
#include "tessera/engine/state.h"
#include "tessera/graph/array.h"

namespace tessera::engine {

/// False: the device cannot compile the kernel.
bool launch_on_device(State& state, UserKernel& kernel, const LaunchShape& shape, std::span<const Array> arrays,
                      std::span<const Scalar> scalars, runtime::Device& device);

}  // namespace tessera::engine
