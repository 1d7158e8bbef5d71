/// SimulatedDevice: a device whose memory and programs are on the host, so that all device code except code generation
/// is tested without a GPU.
#pragma once

#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Runs kernels by the interpreter when they are launched; no other code may treat its memory as host memory. With
/// TESSERA_SIMULATED_FAILURE=N in the environment it fails at its Nth launch.
runtime::Device& simulated_device();

}  // namespace tessera::engine
