/// The simulated device: memory and programs of a device's kind on the host, so that everything about devices but their
/// code is tested without one.
#pragma once

#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Runs kernels by the interpreter when they are launched; its memory is no valid host memory to anybody else's eyes.
/// With TESSERA_SIMULATED_FAILURE=N in the environment it fails at its Nth launch.
runtime::Device& simulated_device();

}  // namespace tessera::engine
