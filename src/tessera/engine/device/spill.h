/// Spill: device memory let go of when it runs out.
#pragma once

#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Lets go of nbytes of the device's memory or of what there is: copies of what the host has too first, then the arrays
/// that were not used for longest, which are brought home. Not of what running work holds, nor of what others see.
/// False when there was nothing.
bool make_room(runtime::Device& device, int64_t nbytes);

}  // namespace tessera::engine
