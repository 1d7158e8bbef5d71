/// Spill: freeing device memory when it runs out.
#pragma once

#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Frees at least nbytes of the device's memory, or as much as possible: first copies of elements that the host has
/// too, then the least recently used arrays, which are copied to the host. Memory in use by running work or by other
/// libraries is kept. False when nothing could be freed.
bool make_room(runtime::Device& device, int64_t nbytes);

}  // namespace tessera::engine
