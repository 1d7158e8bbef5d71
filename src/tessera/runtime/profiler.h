/// When a profiler of GPU work collects: for profilers that were told to wait for the program's word.
#pragma once

#include "tessera/runtime/device.h"

namespace tessera::runtime {

/// Waits for the device, then lets a profiler collect from here on, or no longer. Nothing for a simulated device.
void set_collecting(Device& device, bool is_collecting);

}  // namespace tessera::runtime
